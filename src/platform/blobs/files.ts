import { randomUUID } from 'node:crypto';
import {
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { checkKey, type Blob, type Blobs, type UploadTerms } from '../blobs.ts';
import { equalInConstantTime, type Keys } from '../keys.ts';
import { forbidden, invalidRequest, Problem, unsupportedMediaType } from '../problems.ts';

interface FileBlobsOptions {
  /** Folder of the files. Processes that share a database must share it. */
  directory: string;
  /** Public address of the service, which receives the uploads itself. */
  baseUrl: string;
  keys: Keys;
  now: () => Date;
}

interface Ticket extends Omit<UploadTerms, 'seconds'> {
  key: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Pattern of a ticket: its terms and the signature. */
export const ticketPattern = '^[\\w-]+\\.[\\w-]{43}$';

/** An temporary file counts as abandoned this long after the last write. */
const abandonedAfterMs = 3_600_000;

/** An open file, which its stream or `bytes` closes. */
class FileBlob implements Blob {
  readonly size: number;
  readonly #file: FileHandle;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  get stream(): Readable {
    return this.#file.createReadStream();
  }

  async bytes(): Promise<Buffer> {
    await using file = this.#file;
    return await file.readFile();
  }
}

/** Blobs as files on this machine or a shared file system. */
export class FileBlobs implements Blobs {
  #options: FileBlobsOptions;
  #incoming: string;

  constructor(options: FileBlobsOptions) {
    this.#options = options;
    this.#incoming = join(options.directory, 'incoming');
  }

  put(key: string, bytes: Buffer): Promise<void> {
    return this.#writeWhole(key, async (path) => {
      await writeFile(path, bytes, { flag: 'wx', mode: 0o600, flush: true });
    });
  }

  async get(key: string): Promise<Blob | undefined> {
    const file = await unlessMissing(open(this.#path(key)));
    if (!file) return undefined;
    const { size } = await file.stat();
    return new FileBlob(file, size);
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    await rm(path, { force: true });
    if (isDeep(key)) await removeIfEmpty(dirname(path));
  }

  async uploadAddress(key: string, { seconds, ...terms }: UploadTerms): Promise<string> {
    const expiresAt = this.#options.now().getTime() + seconds * 1000;
    const ticket: Ticket = { key, ...terms, expiresAt };
    const encodedTerms = Buffer.from(JSON.stringify(ticket)).toString('base64url');
    return `${this.#options.baseUrl}/uploads/${encodedTerms}.${this.#sign(encodedTerms)}`;
  }

  /**
   * Stores an upload while it streams in.
   * @throws {Problem} forbidden if the ticket is forged or expired; unsupported-media-type; payload-too-large;
   *   invalid-request if the upload broke off
   */
  async receive(ticket: string, type: string, body: Readable): Promise<void> {
    const terms = this.#open(ticket);
    if (type !== terms.type) throw unsupportedMediaType([terms.type]);
    let isComplete = true;
    await this.#writeWhole(terms.key, async (path) => {
      await using file = await open(path, 'wx', 0o600);
      isComplete = await copyUpTo(terms.maxBytes, body, file);
      // A sparse file of a larger size, which takes no room, shows readers that the upload was too large.
      if (!isComplete) await file.truncate(terms.maxBytes + 1);
      await file.sync();
    });
    if (!isComplete) {
      throw new Problem('payload-too-large', `The file may have ${terms.maxBytes} bytes.`);
    }
  }

  async removeAbandoned(): Promise<void> {
    for (const name of (await unlessMissing(readdir(this.#incoming))) ?? []) {
      const path = join(this.#incoming, name);
      const writtenAtMs = (await unlessMissing(stat(path)))?.mtimeMs ?? Infinity;
      if (writtenAtMs < Date.now() - abandonedAfterMs) await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {}

  #open(ticket: string): Ticket {
    const [encodedTerms = '', signature = ''] = ticket.split('.');
    if (!equalInConstantTime(signature, this.#sign(encodedTerms))) {
      throw forbidden('This upload address was not made by this service.');
    }
    const terms = JSON.parse(Buffer.from(encodedTerms, 'base64url').toString()) as Ticket;
    if (terms.expiresAt <= this.#options.now().getTime()) {
      throw forbidden('This upload address is too old. Ask for a new one.');
    }
    return terms;
  }

  #sign(encodedTerms: string): string {
    return this.#options.keys.hash('upload', encodedTerms).toString('base64url');
  }

  /**
   * Files are spread over folders by the first letters of the name, since large folders are slow. Those whose key has a
   * path stand at that path, so that their folder can be copied to a server of files.
   */
  #path(key: string): string {
    checkKey(key);
    const { directory } = this.#options;
    if (isDeep(key)) return join(directory, key);
    const [folder, name] = key.split('/') as [string, string];
    return join(directory, folder, name.slice(0, 2), name);
  }

  async #writeWhole(key: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = this.#path(key);
    const temporary = join(this.#incoming, randomUUID());
    await mkdir(this.#incoming, { recursive: true, mode: 0o700 });
    const folder = dirname(path);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await write(temporary);
      await rename(temporary, path);
      await syncFolder(folder);
      if (made !== undefined) await syncParents(folder, made);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

/** Copies the stream into the file. Returns false, and discards all, if it has more than `maxBytes`. */
async function copyUpTo(maxBytes: number, body: Readable, file: FileHandle): Promise<boolean> {
  let size = 0;
  try {
    // Destroying the stream would close the connection that the response is sent on.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) break;
      await file.writeFile(chunk as Buffer);
    }
  } catch (error) {
    if (body.errored) throw invalidRequest('The upload broke off.');
    throw error;
  }
  if (size <= maxBytes) return true;
  body.resume();
  await file.truncate(0);
  return false;
}

const isDeep = (key: string): boolean => key.split('/').length > 2;

/** Makes the names of files in the folder survive a loss of power, where the file system can. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw error;
  }
}

/** Does the same for folders that were made, from the parent of the deepest one up to that of the first. */
async function syncParents(deepest: string, first: string): Promise<void> {
  for (let made = deepest; made.length >= first.length; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

/** Returns undefined if there is no such file. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

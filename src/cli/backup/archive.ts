import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { CommandError } from '../command.ts';

/*
 * A backup is a tar archive, compressed by gzip, and encrypted in the format of age (https://age-encryption.org/v1) where
 * there is a key. So `age --decrypt` and `tar` open it without this software.
 */

/** A file of an archive. */
export interface Entry {
  name: string;
  bytes: Buffer;
}

export interface ArchiveWriter {
  add(name: string, bytes: Buffer): Promise<void>;
  /** Ends the archive, and waits until all of it was written. */
  end(): Promise<void>;
  /** Breaks it off after an error. */
  abort(error: unknown): Promise<void>;
}

/** Begins an archive. `key`: a passphrase, or a key of age. */
export function writeArchive(target: Writable, key: string | undefined): ArchiveWriter {
  const { readable, controller } = createTarPacker();
  const written = pipeline(
    Readable.fromWeb(readable as ReadableStream),
    createGzip(),
    async function* (chunks: Readable) {
      yield* key ? await encrypt(chunks, key) : chunks;
    },
    target,
  );
  // `add` and `end` throw the error.
  written.catch(() => {});
  return {
    add: async (name, bytes) => {
      const entry = controller.add({ name, size: bytes.length, mode: 0o600 });
      const add = async () => {
        const writer = entry.getWriter();
        await writer.write(bytes);
        await writer.close();
      };
      // A target that fails takes nothing any more, and leaves the entry waiting.
      await Promise.race([add(), written]);
    },
    end: async () => {
      controller.finalize();
      await written;
    },
    abort: async (cause) => {
      controller.error(cause);
      await Promise.allSettled([written]);
    },
  };
}

async function encrypt(chunks: Readable, key: string): Promise<Readable> {
  const encrypter = new Encrypter();
  if (isPublicKey(key)) encrypter.addRecipient(key);
  else if (isPrivateKey(key)) encrypter.addRecipient(await identityToRecipient(key));
  else encrypter.setPassphrase(key);
  return through(chunks, (stream) => encrypter.encrypt(stream));
}

/**
 * Reads the files of an archive in their order.
 * @throws {CommandError} if it is no archive, is damaged, or the key does not open it
 */
export async function* readArchive(path: string, key: string | undefined): AsyncGenerator<Entry> {
  const format = await formatOf(path);
  const file = createReadStream(path);
  const opened = format === 'age' ? await decrypt(file, key) : file;
  const unpacked = opened.pipe(createGunzip());
  // A pipe passes no errors on.
  opened.on('error', (error) => unpacked.destroy(error));
  const entries = Readable.toWeb(unpacked).pipeThrough(createTarDecoder({ strict: true }));
  try {
    for await (const { header, body } of entries) {
      yield { name: header.name, bytes: await buffer(body) };
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `${path} is damaged: it cannot be read to its end (${(error as Error).message}).`,
    );
  } finally {
    unpacked.destroy();
    file.destroy();
  }
}

async function formatOf(path: string): Promise<'age' | 'gzip'> {
  let start: Buffer;
  try {
    await using file = await open(path);
    ({ buffer: start } = await file.read(Buffer.alloc(32), 0, 32, 0));
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}.`);
  }
  if (start.toString('latin1').startsWith('age-encryption.org/v1')) return 'age';
  if (start.readUInt16BE(0) === 0x1f8b) return 'gzip';
  throw new CommandError(`${path} is no backup that \`npm run backup\` wrote.`);
}

async function decrypt(file: Readable, key: string | undefined): Promise<Readable> {
  if (!key) throw new CommandError('The backup is encrypted: set BACKUP_KEY.');
  if (isPublicKey(key)) {
    throw new CommandError(
      'BACKUP_KEY is a public key, which encrypts alone: set it to the private one, AGE-SECRET-KEY-….',
    );
  }
  const decrypter = new Decrypter();
  if (isPrivateKey(key)) decrypter.addIdentity(key);
  else decrypter.addPassphrase(key);
  try {
    return await through(file, (stream) => decrypter.decrypt(stream));
  } catch {
    throw new CommandError('BACKUP_KEY does not open this backup.');
  }
}

/**
 * Reads BACKUP_KEY: a passphrase, a key of age, or a file of age-keygen with its comments. Returns undefined if it is not set.
 * @throws {CommandError} if it is meant to be a key and is none; the message does not repeat it
 */
export async function readKey(text: string | undefined): Promise<string | undefined> {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const [key, ...more] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (key === undefined) return undefined;
  const isWrong = more.length > 0 || key.startsWith('ssh-') || !(await isUsable(key));
  if (!isWrong) return key;
  throw new CommandError(
    'BACKUP_KEY is neither a passphrase in one line nor a key of age (age1… or AGE-SECRET-KEY-…). `age-keygen` makes one.',
  );
}

async function isUsable(key: string): Promise<boolean> {
  try {
    if (isPublicKey(key)) new Encrypter().addRecipient(key);
    if (isPrivateKey(key)) await identityToRecipient(key);
    return true;
  } catch {
    return false;
  }
}

const isPublicKey = (key: string): boolean => key.startsWith('age1');
const isPrivateKey = (key: string): boolean => key.startsWith('AGE-SECRET-KEY-');

/** Passes a stream of Node through a function on streams of the web. */
async function through(
  chunks: Readable,
  transform: (stream: globalThis.ReadableStream<Uint8Array>) => Promise<unknown>,
): Promise<Readable> {
  const stream = Readable.toWeb(chunks) as unknown as globalThis.ReadableStream<Uint8Array>;
  return Readable.fromWeb((await transform(stream)) as ReadableStream);
}

/** Opens a new file for a backup, which only this user can read. It has its name once all was written. */
export const openTarget = (path: string): Writable =>
  createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });

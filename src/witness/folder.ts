import { hash, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config-values.ts';
import { decodeBase64 } from '../platform/transparency/base64.ts';
import { parseCheckpoint, type Checkpoint } from '../platform/transparency/checkpoints.ts';
import { LogFormatError } from '../platform/transparency/log-errors.ts';
import {
  createSigner,
  formatVerifierKey,
  parseNote,
  type Signer,
} from '../platform/transparency/notes.ts';

/** The newest checkpoint of a log that the witness has cosigned. */
export interface CosignedCheckpoint extends Checkpoint {
  /** With the signatures of the log and of the witness. */
  note: string;
}

/** The hash that names a log in addresses: of its origin, in hexadecimal. */
export const originHash = (origin: string): string => hash('sha256', origin, 'hex');

const keyFile = 'secret-key';
const keyBytes = 32;
const suffix = '.checkpoint';
const temporarySuffix = '.part';

/** Another process uses the folder of the witness, too. Nothing is cosigned. */
export class FolderInUse extends Error {
  override name = 'FolderInUse';
}

/**
 * The files of a witness: its key, and for each log the newest checkpoint that it cosigned. One process should use them. If
 * another one does, such as in the moments of a deployment, each stores only what follows the files.
 */
export class WitnessFolder {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(path: string): Promise<WitnessFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const names = await readdir(path);
    // Left by a process that was killed before it answered.
    const left = names.filter((name) => name.endsWith(temporarySuffix));
    await Promise.all(left.map((name) => rm(join(path, name), { force: true })));
    return new WitnessFolder(path);
  }

  /**
   * Opens the keys of the witness, and makes them at the first start. Another name has other keys: an Ed25519 cosignature
   * does not cover the name.
   * @throws {ConfigError} if the key is damaged, or missing where there are checkpoints
   */
  async openSigners(name: string): Promise<Signer[]> {
    const secret = (await this.#readSecret()) ?? (await this.#makeSecret());
    const seedOf = (algorithm: string) =>
      Buffer.from(hkdfSync('sha256', secret, '', `witness/${algorithm}/${name}`, keyBytes));
    const signers = [
      createSigner(name, 'ed25519-cosignature', seedOf('ed25519')),
      createSigner(name, 'ml-dsa-44-cosignature', seedOf('ml-dsa-44')),
    ];
    const lines = signers.map(({ key }) => `${formatVerifierKey(key)}\n`);
    await this.#write('verifier-keys.txt', lines.join(''), 0o644);
    return signers;
  }

  async #readSecret(): Promise<Buffer | undefined> {
    const text = await readIfThere(join(this.#path, keyFile));
    if (text === undefined) return undefined;
    try {
      const secret = decodeBase64(text.trimEnd());
      if (secret.length === keyBytes) return secret;
    } catch (error) {
      if (!(error instanceof LogFormatError)) throw error;
    }
    throw new ConfigError(`${join(this.#path, keyFile)} is damaged. Restore it from a backup.`);
  }

  async #makeSecret(): Promise<Buffer> {
    const names = await readdir(this.#path);
    if (names.some((name) => name.endsWith(suffix))) {
      throw new ConfigError(
        `${join(this.#path, keyFile)} is missing, though the witness has cosigned before. Restore it, or name an empty folder in WITNESS_DIR for another witness.`,
      );
    }
    const secret = randomBytes(keyBytes);
    await this.#write(keyFile, `${secret.toString('base64')}\n`, 0o600);
    return secret;
  }

  /**
   * Reads the newest cosigned checkpoint of a log.
   * @throws {ConfigError} if the file is damaged: without it, the witness would cosign another history
   */
  async readCheckpoint(origin: string): Promise<CosignedCheckpoint | undefined> {
    const path = join(this.#path, originHash(origin) + suffix);
    const note = await readIfThere(path);
    if (note === undefined) return undefined;
    try {
      const checkpoint = parseCheckpoint(parseNote(note).text);
      if (checkpoint.origin === origin) return { ...checkpoint, note };
    } catch (error) {
      if (!(error instanceof LogFormatError)) throw error;
    }
    throw new ConfigError(`${path} is damaged. Restore the newest state of this folder.`);
  }

  /**
   * Stores a cosigned checkpoint in the place of the one that it follows. It is on disk when this returns.
   * @throws {FolderInUse} if the file is another one, or another process writes it
   */
  async writeCheckpoint(
    { origin, note }: CosignedCheckpoint,
    before: CosignedCheckpoint | undefined,
  ): Promise<void> {
    const name = originHash(origin) + suffix;
    const path = join(this.#path, name);
    await this.#write(name, note, 0o644, async () => {
      if ((await readIfThere(path)) !== before?.note) throw new FolderInUse(`${path} has changed`);
    });
    // A process that starts meanwhile removes the temporary file, and another one can make its own.
    if ((await readIfThere(path)) !== note) throw new FolderInUse(`${path} has changed`);
  }

  /** Replaces a file atomically. A machine that loses power then has the old content or the new one. */
  async #write(
    name: string,
    content: string,
    mode: number,
    check?: () => Promise<void>,
  ): Promise<void> {
    const temporary = join(this.#path, `.${name}${temporarySuffix}`);
    const file = await openNew(temporary, mode);
    try {
      await file.writeFile(content);
      await file.sync();
      await check?.();
      await rename(temporary, join(this.#path, name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await using folder = await open(this.#path, 'r');
    await folder.sync();
  }
}

/** Opens a file that only one process can have made. @throws {FolderInUse} */
async function openNew(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new FolderInUse(`${path} is being written`);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import type { Readable } from 'node:stream';
import { unavailable } from './problems.ts';

/** What may be uploaded to an upload address. */
export interface UploadTerms {
  /** The media type that the upload must declare. */
  type: string;
  maxBytes: number;
  /** How long the address is valid. */
  seconds: number;
}

/**
 * Stores files that are too large for the database. A key is a folder and a name, `images/cat.webp`, or a folder and a
 * path, `log/1f/tile/0/000`. One folder has keys of one of these kinds only.
 * @throws {Problem} unavailable, from each method, if the store does not answer
 */
export interface Blobs {
  /** Stores the bytes under the key, atomically. Overwrites. */
  put(key: string, bytes: Buffer, type: string): Promise<void>;
  /**
   * Returns the blob under the key, of which the caller must read the bytes, or read or destroy the stream; undefined if
   * there is none.
   */
  get(key: string): Promise<Blob | undefined>;
  /** Removes the blob under the key, if there is one. */
  delete(key: string): Promise<void>;
  /**
   * Returns an address that accepts a PUT of a file of that type, without credentials. A file that was too large
   * may be found under the key with its size, or any size above `maxBytes`: readers must check.
   */
  uploadAddress(key: string, terms: UploadTerms): Promise<string>;
  /** Removes remains of interrupted uploads. */
  removeAbandoned(): Promise<void>;
  close(): Promise<void>;
}

const keyPattern = /^[a-z]+(?:\/[a-z0-9][a-z0-9.-]*)+$/;

/** @throws {Error} unless it is a key: no part is empty or begins with a dot, so none leads out of its folder */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw new Error(`'${key}' is no key of a blob`);
}

export interface Blob {
  /** In bytes. */
  size: number;
  /** To be used once, and not beside `bytes`. */
  readonly stream: Readable;
  /** Reads all of it. Takes less than half of the processor time of a stream for a file of some kilobytes. */
  bytes(): Promise<Buffer>;
}

/** What is under a key: undefined if nothing is, though something should be. */
export interface StoredFile {
  key: string;
  content: Buffer | undefined;
}

/** Reads a whole blob of at most `maxBytes`. */
export async function readBlob(
  blobs: Blobs,
  key: string,
  maxBytes: number,
): Promise<Buffer | 'too-large' | undefined> {
  const found = await blobs.get(key);
  if (!found) return undefined;
  if (found.size > maxBytes) {
    // A destroyed stream emits an error.
    found.stream.on('error', () => {}).destroy();
    return 'too-large';
  }
  try {
    return await found.bytes();
  } catch (error) {
    throw storeUnavailable(error);
  }
}

export const storeUnavailable = (cause: unknown) =>
  unavailable('The store of files does not answer at the moment. Try again shortly.', cause);

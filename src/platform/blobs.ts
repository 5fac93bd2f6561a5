import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
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
 * Stores files that are too large for the database. A key is a folder and a name: `images/cat.webp`.
 * @throws {Problem} unavailable, from each method, if the store does not answer
 */
export interface Blobs {
  /** Stores the bytes under the key, atomically. Overwrites. */
  put(key: string, bytes: Buffer, type: string): Promise<void>;
  /** Returns the blob under the key, whose stream the caller must read or destroy; undefined if there is none. */
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

export interface Blob {
  /** In bytes. */
  size: number;
  stream: Readable;
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
    return await buffer(found.stream);
  } catch (error) {
    throw storeUnavailable(error);
  }
}

export const storeUnavailable = (cause: unknown) =>
  unavailable('The store of files does not answer at the moment. Try again shortly.', cause);

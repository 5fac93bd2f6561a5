import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { unavailable } from './problems.ts';

/** What an upload address takes. */
export interface UploadTerms {
  /** Media type that the upload must declare. */
  type: string;
  /** In bytes. */
  maxBytes: number;
  /** How long the address is good for, in seconds. */
  seconds: number;
}

/**
 * Where files live that are too large for the database. A key is a folder and a name: `images/cat.webp`.
 * @throws {Problem} unavailable, from each of them, where the store does not answer
 */
export interface Blobs {
  /** Stores the bytes under the key, over what was there; nobody sees half of them. */
  put(key: string, bytes: Buffer, type: string): Promise<void>;
  /** What is stored under the key, to be read or destroyed; undefined where there is nothing. */
  get(key: string): Promise<Blob | undefined>;
  /** Removes what is stored under the key, if there is anything. */
  delete(key: string): Promise<void>;
  /**
   * An address to which anybody who has it can PUT a file of that type. What was too large may be found
   * under the key at its size, or at any size above `maxBytes`: whoever reads it must look.
   */
  uploadAddress(key: string, terms: UploadTerms): Promise<string>;
  /** Removes what interrupted uploads left behind. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface Blob {
  /** In bytes. */
  size: number;
  stream: Readable;
}

/** Reads a blob whole, if it is no larger than that. */
export async function readBlob(
  blobs: Blobs,
  key: string,
  maxBytes: number,
): Promise<Buffer | 'too-large' | undefined> {
  const found = await blobs.get(key);
  if (!found) return undefined;
  if (found.size > maxBytes) {
    // What is given up half-way says so; nobody asks.
    found.stream.on('error', () => {}).destroy();
    return 'too-large';
  }
  try {
    return await buffer(found.stream);
  } catch (error) {
    throw storeIsAway(error);
  }
}

export const storeIsAway = (cause: unknown) =>
  unavailable('The store of files does not answer at the moment. Try again shortly.', cause);

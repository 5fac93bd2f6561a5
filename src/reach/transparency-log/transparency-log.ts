import type { Blobs, StoredFile } from '../../platform/blobs.ts';
import type { Db } from '../../platform/db.ts';
import { grownTiles } from '../../platform/transparency/tiles.ts';
import { LogFiles } from './log-files.ts';
import { findPublishedTree } from './publishing-queries.ts';

export { LogFiles } from './log-files.ts';
export { readSignerReceipt } from './own-receipts.ts';
export { followerName, isOwn } from './sequencer.ts';
export { noteGap as compareAgain, readState, type LogState } from './state.ts';

/** What is published of the log. */
export interface PublishedTree {
  origin: string;
  /** The number of entries. */
  size: number;
}

/** Reads what is published by this database; undefined if it has no log. */
export const readPublishedTree = (db: Pick<Db, 'first'>): Promise<PublishedTree | undefined> =>
  findPublishedTree(db);

/**
 * Reads the tiles of a published tree, for a backup. The checkpoint is left out: a restored database can be behind what was
 * published, and must not go on by itself.
 */
export async function* storedLogFiles(
  blobs: Blobs,
  { origin, size }: PublishedTree,
): AsyncGenerator<StoredFile> {
  const files = new LogFiles(blobs, origin);
  for (const tile of grownTiles(0, size)) {
    yield { key: files.keyOf(tile), content: await files.readTile(tile) };
  }
}

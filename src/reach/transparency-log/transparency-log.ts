import type { Blobs, StoredFile } from '../../platform/blobs.ts';
import { grownTiles } from '../../platform/transparency/tiles.ts';
import { LogFiles } from './log-files.ts';
import type { PublishedTree } from './publishing-queries.ts';

export { LogFiles } from './log-files.ts';
export { showLog } from './log-reads.ts';
export { readPublishedTree, type PublishedTree } from './publishing-queries.ts';
export { findPetitionLog, hasEntries } from './log-reads.ts';
export { readSignerReceipt } from './own-receipts.ts';
export { followerName, isOwn } from './sequencer.ts';
export { noteGap as compareAgain, readState, type LogState } from './state.ts';

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

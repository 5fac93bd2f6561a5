import type { Tx } from '../../platform/db.ts';
import {
  growTree,
  hashLeaf,
  type TreeEdge,
  type TreeGrowth,
} from '../../platform/transparency/merkle.ts';
import { tileWidth } from '../../platform/transparency/tiles.ts';
import { readPendingEntries } from './publishing-queries.ts';

/** Entries between two statements of the transaction, which must not be idle for long while files are written; whole bundles. */
const batchEntries = 20 * tileWidth;

/** Entries that follow a tree, and what they make of it. */
export interface PendingBatch {
  /** Index of the first entry, which begins a bundle. The first entries of the first batch can be in the tree already. */
  start: number;
  entries: Buffer[];
  growth: TreeGrowth;
}

/** The index with which the bundle begins that a log of that size goes on with. */
export const bundleStart = (size: number): number => size - (size % tileWidth);

/** Grows a tree to that size by the entries that are in the database. */
export async function* growByPending(
  tx: Tx,
  edge: TreeEdge,
  size: number,
): AsyncGenerator<PendingBatch> {
  let grown = edge;
  while (grown.size < size) {
    const start = bundleStart(grown.size);
    const end = Math.min(start + batchEntries, size);
    const entries = await readPendingEntries(tx, start, end);
    if (entries.length !== end - start) {
      throw new Error(`The log lacks entries from ${start} to ${end}.`);
    }
    const growth = growTree(grown, entries.slice(grown.size - start).map(hashLeaf));
    grown = growth.edge;
    yield { start, entries, growth };
  }
}

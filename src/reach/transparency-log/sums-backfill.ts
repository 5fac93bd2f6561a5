import type { Backfill } from '../../platform/backfills.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { lockFollower } from '../../platform/followers.ts';
import { parseEntry, type LogEntry } from '../../platform/transparency/entries.ts';
import { parseEntryBundle, tileWidth, tileWith } from '../../platform/transparency/tiles.ts';
import {
  dayOf,
  findNumbers,
  storeEntrySums,
  storeSummedSize,
  sumEntries,
  sumsBackfillName,
} from './entry-sums.ts';
import type { LogFiles } from './log-files.ts';
import { readPendingEntries } from './publishing-queries.ts';
import { followerName, mayAdd } from './sequencer.ts';
import { readState, type LogState } from './state.ts';

/** Bundles that one step reads. */
const bundlesPerStep = 8;

/**
 * Reads the entries that a process of an earlier version added, and stores what they come to, in the order of the log and
 * up to its end. Batches that are added meanwhile wait for it, so that each entry is read once, whatever came when. The log
 * itself says how far it is, not the cursor.
 */
export const sumsBackfill = (ctx: Context, files: LogFiles | undefined): Backfill => ({
  name: sumsBackfillName,
  total: async (db) => {
    const state = await readState(db);
    return state ? state.edge.size - state.summedSize : 0;
  },
  async step(db) {
    const state = await readState(db);
    // Another instance writes this log, or it is off. Once it goes on, the backfill is done again.
    if (!files || !state || !mayAdd(ctx, state)) return null;
    const { summedSize: from } = state;
    if (from >= state.edge.size) return null;
    // Before the transaction, so that the log is locked briefly.
    const published = await readPublished(files, state);
    return transaction(db, async (tx) => {
      await lockFollower(tx, followerName);
      const now = await readState(tx);
      // Another process was faster, another log began, or the next entries were published meanwhile.
      const isChanged = !now || now.origin !== state.origin || now.summedSize !== from;
      const isPublished = published.length === 0 && (now?.published.edge.size ?? 0) > from;
      if (isChanged || isPublished) return { cursor: String(from), rows: 0 };
      const entries = published.length > 0 ? published : await readPending(tx, now);
      // They were published between the two reads.
      if (!entries) return { cursor: String(from), rows: 0 };
      const to = from + entries.length;
      await store(tx, from, entries);
      await storeSummedSize(tx, to, { daysSince: to === now.edge.size ? dayOf(ctx.now()) : null });
      return { cursor: String(to), rows: entries.length };
    });
  },
});

/** Reads the next entries that are published. Returns none if those are not. */
async function readPublished(
  files: LogFiles,
  { summedSize: from, published }: LogState,
): Promise<LogEntry[]> {
  const { size } = published.edge;
  const entries: LogEntry[] = [];
  let index = from;
  while (index < size && index < from + bundlesPerStep * tileWidth) {
    const tile = tileWith(0, index, size);
    const bundle = await files.requireTile({ ...tile, level: 'entries' });
    entries.push(
      ...parseEntryBundle(bundle, tile.width)
        .slice(index % tileWidth)
        .map(parseEntry),
    );
    index = from + entries.length;
  }
  return entries;
}

/**
 * Reads the next entries from the database: all that is not published is there. Undefined if some were published since the
 * state was read.
 */
async function readPending(
  tx: Tx,
  { summedSize: from, edge }: LogState,
): Promise<LogEntry[] | undefined> {
  const to = Math.min(edge.size, from + bundlesPerStep * tileWidth);
  const entries = await readPendingEntries(tx, from, to);
  if (entries.length !== to - from) return undefined;
  return entries.map(parseEntry);
}

async function store(tx: Tx, firstIndex: number, entries: readonly LogEntry[]): Promise<void> {
  const sums = sumEntries(firstIndex, entries);
  const numbers = await findNumbers(tx, [...sums.petitions.keys()]);
  await storeEntrySums(tx, sums, { day: '-infinity', numberOf: (logId) => numbers.get(logId) });
}

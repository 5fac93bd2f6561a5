import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import * as queries from './rebuilding-queries.ts';
import { petitionSums } from './sum-queries.ts';
import { cellsOf, maxWindowHours, windowStart } from './sums.ts';

const pageSize = 100;

/** Yields ids of petitions that can have sums, in pages. */
export async function* petitionsToSum(ctx: Context): AsyncGenerator<string[]> {
  let ids = ['00000000-0000-0000-0000-000000000000'];
  for (;;) {
    ids = await queries.petitionsWithSums(ctx.db, ids.at(-1)!, pageSize);
    if (ids.length === 0) return;
    yield ids;
  }
}

/**
 * Rebuilds the sums of petitions from their signatures. Signing goes on meanwhile: the follower waits for
 * the end of the transaction, then skips the events that the sums include.
 */
export async function rebuildSums(tx: Tx, petitionIds: string[], now: Date): Promise<void> {
  await queries.lockSums(tx);
  for (const id of petitionIds) await queries.recount(tx, id, windowStart(now));
}

export async function rebuildOverallSums(tx: Tx): Promise<void> {
  await queries.lockSums(tx);
  await queries.recountOverall(tx);
}

/** Counts a petition's sums that differ from its signatures, without events that the follower has yet to see. */
export async function differencesOf(ctx: Context, petitionId: string): Promise<number> {
  const since = new Date(ctx.now().getTime() - maxWindowHours * 3_600_000);
  return transaction(ctx.pools.main, async (lockTx) => {
    await queries.lockSums(lockTx);
    return queries.inSnapshot(ctx.pools.main, async (tx) => {
      const unseen = cellsOf(await queries.unseenEvents(tx, petitionId));
      let differences = 0;
      for (const sum of petitionSums) {
        differences += await queries.countDifferences(tx, sum, petitionId, unseen, since);
      }
      return differences;
    });
  });
}

/** Counts platform-wide sums that differ from those of petitions. */
export const overallDifferences = (ctx: Context): Promise<number> =>
  queries.inSnapshot(ctx.pools.main, (tx) => queries.countOverallDifferences(tx));

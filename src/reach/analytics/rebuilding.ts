import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import * as queries from './rebuilding-queries.ts';
import { petitionSums } from './sum-queries.ts';
import { cellsOf, longestWindow, windowStart } from './sums.ts';

const pageSize = 100;

/** Petitions that may have sums, in pages. */
export async function* petitionsToSum(ctx: Context): AsyncGenerator<string[]> {
  let ids = ['00000000-0000-0000-0000-000000000000'];
  for (;;) {
    ids = await queries.petitionsWithSums(ctx.db, ids.at(-1)!, pageSize);
    if (ids.length === 0) return;
    yield ids;
  }
}

/**
 * Makes the sums of petitions anew from their signatures, in the transaction. Signing goes on meanwhile:
 * the follower waits until the end, and passes over what the sums hold by then.
 */
export async function rebuildSums(tx: Tx, petitionIds: string[], now: Date): Promise<void> {
  await queries.holdFollower(tx);
  for (const id of petitionIds) await queries.recount(tx, id, windowStart(now));
}

/** Makes the sums of all petitions together anew from those of each. */
export async function rebuildOverallSums(tx: Tx): Promise<void> {
  await queries.holdFollower(tx);
  await queries.recountOverall(tx);
}

/**
 * How many sums of a petition differ from its signatures at one moment, with what its follower has yet to
 * see set apart.
 */
export async function differencesOf(ctx: Context, petitionId: string): Promise<number> {
  const since = new Date(ctx.now().getTime() - longestWindow * 3_600_000);
  return transaction(ctx.pools.main, async (held) => {
    await queries.holdFollower(held);
    return queries.atOneMoment(ctx.pools.main, async (tx) => {
      const unseen = cellsOf(await queries.unseenEvents(tx, petitionId));
      let differences = 0;
      for (const sum of petitionSums) {
        differences += await queries.countDifferences(tx, sum, petitionId, unseen, since);
      }
      return differences;
    });
  });
}

/** The same of the sums of all petitions together, against those of each. */
export const overallDifferences = (ctx: Context): Promise<number> =>
  queries.atOneMoment(ctx.pools.main, (tx) => queries.countOverallDifferences(tx));

import assert from 'node:assert/strict';
import { compareAll } from '../../src/cli/rebuild-sums.ts';
import { eventually } from './eventually.ts';
import { silent } from './progress.ts';
import type { Service } from './service.ts';

/** Waits until the follower of sums has seen all present events. */
export async function untilSumsSettled(
  { ctx }: Service,
  withinMilliseconds = 20_000,
): Promise<void> {
  const [last] = await ctx.db`
    select transaction::text, position::text from events
    order by events.transaction desc, events.position desc limit 1`;
  if (!last) return;
  await eventually(async () => {
    const [row] = await ctx.db`
      select (transaction, position) >= (${last.transaction}::xid8, ${last.position}::bigint) as seen
      from event_followers where name = 'signature-sums'`;
    return row?.seen ?? false;
  }, withinMilliseconds);
}

/** Checks that all sums match the signatures. */
export async function assertSums({ ctx }: Service): Promise<void> {
  assert.deepEqual((await compareAll(ctx, silent)).differing, []);
}

import type { Context } from './context.ts';
import { transaction, type Tx } from './db.ts';

/** Runs the work in a transaction of its own context: what the work wants done after the commit is done then. */
export async function inTransaction<T>(
  ctx: Context,
  work: (within: Context & { db: Tx }) => Promise<T>,
): Promise<T> {
  let steps: (() => Promise<void>)[] = [];
  const result = await transaction(ctx.db, (tx) => {
    steps = [];
    const afterCommit = async (step: () => Promise<void>) => void steps.push(step);
    return work({ ...ctx, db: tx, afterCommit });
  });
  await ctx.afterCommit(async () => {
    for (const step of steps) await step();
  });
  return result;
}

import type { Context } from '../../platform/context.ts';
import type { SteppedWorkOptions } from '../../platform/workers.ts';
import { evictPetitions } from './cache.ts';
import * as queries from './closing-queries.ts';

/** How late a petition is closed at most, while few are due. Nobody can sign in between. */
const idleMs = 1000;

/** Reminds of the closing dates that are a day ahead, one after the other, as `closing` closes petitions. */
export const reminding = ({ pools, eventNotifier }: Context): SteppedWorkOptions => ({
  name: 'reminders of closing dates',
  idleMs,
  async step() {
    const id = await queries.findToRemindOf(pools.main);
    if (id === undefined) return false;
    if (await queries.remindOf(pools.main, id)) eventNotifier.notify();
    return true;
  },
});

/**
 * Closes petitions whose date has passed, one after the other, each in a transaction of its own: signing waits for one at
 * most. Several processes may find the same petition; the first closes it, and the others find the next one.
 */
export const closing = (ctx: Context): SteppedWorkOptions => ({
  name: 'closing dates',
  idleMs,
  async step() {
    const { main } = ctx.pools;
    const id = await queries.findDue(main);
    if (id === undefined) return false;
    if (await queries.closeDue(main, id)) {
      evictPetitions(ctx, [id]);
      ctx.eventNotifier.notify();
    }
    return true;
  },
});

import type { Context } from '../../platform/context.ts';
import { isConnectionError, type Pool } from '../../platform/db.ts';
import { unavailable } from '../../platform/problems.ts';

/** Searches that are under way or wait for one of the few connections. */
const mostAtOnce = 40;
/** Nobody waits longer for an answer. */
const patience = 3000;

const underWay = new WeakMap<Pool, { count: number }>();

/**
 * Does the reading of a search on connections of its own, so that many or slow ones keep nothing else
 * from the database.
 * @throws {Problem} unavailable where too many wait, or it takes too long
 */
export async function serve<T>(ctx: Context, work: (db: Pool) => Promise<T>): Promise<T> {
  const db = ctx.pools.search;
  let now = underWay.get(db);
  if (!now) underWay.set(db, (now = { count: 0 }));
  if (now.count >= mostAtOnce) throw unavailable('Too many are searching at the moment.');
  now.count += 1;
  const working = work(db).finally(() => (now.count -= 1));
  // Where the answer came too late, what becomes of it concerns nobody.
  working.catch(() => {});
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => tooLate.reject(unavailable('The search took too long.')),
    patience,
  );
  try {
    return await Promise.race([working, tooLate.promise]);
  } catch (error) {
    if (isConnectionError(error)) throw unavailable('The search does not answer in time.', error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

import type { Context } from '../../platform/context.ts';
import { isDatabaseUnavailable, type Pool } from '../../platform/db.ts';
import { unavailable } from '../../platform/problems.ts';
import { maxConcurrentSearches, searchTimeoutMs } from './cost-model.ts';

const searching = new WeakMap<Pool, { count: number }>();

/**
 * Runs a search on the connections of search, so that slow searches block nothing else.
 * @throws {Problem} unavailable if too many searches wait, or after the timeout
 */
export async function runSearch<T>(ctx: Context, work: (db: Pool) => Promise<T>): Promise<T> {
  const db = ctx.pools.search;
  const running = searching.getOrInsert(db, { count: 0 });
  if (running.count >= maxConcurrentSearches)
    throw unavailable('Too many are searching at the moment.');
  running.count += 1;
  const result = work(db).finally(() => (running.count -= 1));
  // After the timeout nothing awaits the result.
  result.catch(() => {});
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(unavailable('The search took too long.')),
    searchTimeoutMs,
  );
  try {
    return await Promise.race([result, timeout.promise]);
  } catch (error) {
    if (isDatabaseUnavailable(error))
      throw unavailable('The search does not answer in time.', error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

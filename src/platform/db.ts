import { isDeadlock } from './db/errors.ts';
import type { Pool } from './db/pool.ts';
import type { Tx } from './db/transaction.ts';

export { withDeadline } from './db/deadline.ts';
export {
  DatabaseUnavailable,
  isDatabaseUnavailable,
  isDeadlock,
  isLockTimeout,
  isMissingUser,
  isTimeout,
  isUniqueViolation,
} from './db/errors.ts';
export { openPool, type Pool } from './db/pool.ts';
export type { Query, Row, SqlValue } from './db/sql.ts';
export type { Tx } from './db/transaction.ts';

/** Runs statements: the pool, or the current transaction. */
export type Db = Pool | Tx;

/** Runs the work in a transaction, or in a savepoint inside another transaction. */
export function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return 'savepoint' in db ? db.savepoint(work) : db.begin(work);
}

/**
 * Runs the work again if PostgreSQL ended it to resolve a deadlock. Even statements that lock a single row can
 * deadlock: a session that has locked the newest version of the row, and reaches it again through an older version
 * that a foreign key check holds, waits behind the sessions that wait for the lock.
 */
export const retryOnDeadlock = <T>(work: () => Promise<T>): Promise<T> => retryOn(isDeadlock, work);

/** Runs the work again, at most 5 times in all, if it fails with such an error. */
export async function retryOn<T>(
  isRepeatable: (error: unknown) => boolean,
  work: () => Promise<T>,
  tries = 5,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRepeatable(error) || tries <= 1) throw error;
    return retryOn(isRepeatable, work, tries - 1);
  }
}

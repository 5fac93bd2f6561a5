import { isDeadlock } from './db/errors.ts';
import type { Pool } from './db/pool.ts';
import type { Tx } from './db/transaction.ts';

export { withDeadline } from './db/deadline.ts';
export {
  DatabaseUnavailable,
  isConnectionError,
  isDiskFull,
  isMissingUser,
  isTimeout,
  isUniqueViolation,
} from './db/errors.ts';
export { openPool, type Pool } from './db/pool.ts';
export type { Query, Row, SqlValue } from './db/sql.ts';
export type { Tx } from './db/transaction.ts';

/** Where a statement can run: the pool, or a transaction that is under way. */
export type Db = Pool | Tx;

/**
 * Runs the work in a transaction. Inside another transaction it runs in a savepoint of it, so that domain functions
 * need not know whether their caller opened one.
 */
export function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return 'savepoint' in db ? db.savepoint(work) : db.begin(work);
}

/**
 * Runs the work again, some times, where PostgreSQL ended it to resolve a deadlock. Even statements that lock
 * nothing but one row can deadlock: a session that has locked the newest version of the row, and comes to it again by
 * an older version that a foreign key's check holds, waits behind those that wait for the lock.
 */
export async function againAfterDeadlock<T>(work: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDeadlock(error) || tries <= 1) throw error;
    return againAfterDeadlock(work, tries - 1);
  }
}

import type { Db } from '../../src/platform/db.ts';

/** Counts the connections to the database that wait for a lock. */
export async function waitingForLocks(db: Db): Promise<number> {
  const rows = await db`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
}

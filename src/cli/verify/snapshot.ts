import type { Db, Pool, Query, Tx } from '../../platform/db.ts';
import type { LogPosition } from '../../platform/events.ts';

/** Reads in one snapshot. */
export const inSnapshot = <T>(db: Pool, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.begin('isolation level repeatable read read only', read);

/**
 * The 64-bit id of the transaction that wrote a row version, from the system column xmin, which has the lower 32 bits. A
 * version older than 2^32 transactions appears newer than it is.
 */
export const writerTransaction = (db: Db, xmin: Query) => db`(
  select case when candidate > newest then candidate - 4294967296 else candidate end
  from (
    select newest, newest / 4294967296 * 4294967296 + (${xmin})::text::bigint as candidate
    from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as newest) now
  ) numbers)`;

/** Reads the positions of all followers. */
export async function followerPositions(db: Db): Promise<Map<string, LogPosition>> {
  const rows = await db<(LogPosition & { name: string })[]>`
    select name, transaction::text, position::text from event_followers`;
  return new Map(rows.map(({ name, ...place }) => [name, place]));
}

/** Reads the position before which no more events will be stored. */
export async function settledPosition(db: Db): Promise<LogPosition> {
  return db.one<LogPosition>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction, '0' as position`;
}

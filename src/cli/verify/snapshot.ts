import type { Db, Pool, Query, Tx } from '../../platform/db.ts';
import type { LogPosition } from '../../platform/events.ts';

/** Reads at one moment, and writes nothing. */
export const atOneMoment = <T>(db: Pool, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.begin('isolation level repeatable read read only', read);

/**
 * The number, of 64 bits, of the transaction that wrote a row version, from its system column xmin, which has the
 * low 32 bits. A version that is older than 2^32 transactions seems younger than it is.
 */
export const writtenIn = (db: Db, xmin: Query) => db`(
  select case when candidate > newest then candidate - 4294967296 else candidate end
  from (
    select newest, newest / 4294967296 * 4294967296 + (${xmin})::text::bigint as candidate
    from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as newest) now
  ) numbers)`;

/** How far each follower of events has come. */
export async function placesOfFollowers(db: Db): Promise<Map<string, LogPosition>> {
  const rows = await db<(LogPosition & { name: string })[]>`
    select name, transaction::text, position::text from event_followers`;
  return new Map(rows.map(({ name, ...place }) => [name, place]));
}

/** Everything before it is settled: no event will be told there any more. */
export async function settledEnd(db: Db): Promise<LogPosition> {
  const [row] = await db<LogPosition[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction, '0' as position`;
  return row!;
}

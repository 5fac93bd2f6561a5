import { lockFollower } from '../../platform/followers.ts';
import type { Db, Pool, Tx } from '../../platform/db.ts';
import { toLoggedEvent, type EventRow, type LoggedEvent } from '../../platform/events.ts';
import {
  asRows,
  columns,
  followerName,
  overallSums,
  petitionSums,
  summed,
  summedTypes,
  type Cell,
  type Sum,
} from './sum-queries.ts';

/** Returns ids of petitions that have signatures or sums, in order. */
export async function petitionsWithSums(db: Db, after: string, limit: number): Promise<string[]> {
  return db.column<string>`
    select id from petitions p
    where id > ${after} and (signature_count > imported_signature_count
      or invalid_signature_count > 0
      or exists (select from signature_hours h where h.petition_id = p.id))
    order by id
    limit ${limit}`;
}

/** Stops the follower until the transaction ends, so that only this transaction writes sums. */
export async function lockSums(tx: Tx): Promise<void> {
  await lockFollower(tx, followerName);
  await tx.setStatementTimeout(0);
  await tx`set local idle_in_transaction_session_timeout = 0`;
}

const countedCells = (db: Db, petitionId: string) => db`
  select petition_id, date_trunc('hour', created_at, 'UTC') as hour, place, source,
    count(*)::integer as count
  from signatures
  where petition_id = ${petitionId} and state = 'counted'
  group by 1, 2, 3, 4`;

/**
 * Rebuilds a petition's sums from its signatures. The follower must be locked. One statement reads the
 * signatures and their last event, so that both are of one snapshot.
 */
export async function recount(tx: Tx, petitionId: string, since: Date): Promise<void> {
  await tx`
    create temporary table if not exists recounted (petition_id uuid, hour timestamptz, place text,
      source text, count integer) on commit drop`;
  await tx`truncate recounted`;
  await tx`
    with counted as (
      insert into recounted ${countedCells(tx, petitionId)}
    )
    insert into rebuilt_sums (petition_id, position, transaction)
    select ${petitionId}, max(position), pg_snapshot_xmax(pg_current_snapshot())
    from events
    where petition_id = ${petitionId} and type = any(${[...summedTypes]}::text[])
    having max(position) is not null
    on conflict (petition_id) do update
      set position = excluded.position, transaction = excluded.transaction`;
  for (const sum of petitionSums) {
    const { table, keys } = sum;
    await tx`delete from ${tx(table)} where petition_id = ${petitionId}`;
    await tx`
      insert into ${tx(table)} (${columns(tx, [...keys, 'count'])})
      ${summed(tx, sum, tx`recounted as cell`, since)}`;
  }
}

/** Rebuilds the platform-wide sums from those of petitions. */
export async function recountOverall(tx: Tx): Promise<void> {
  for (const sum of overallSums) {
    const { table, keys } = sum;
    await tx`delete from ${tx(table)}`;
    await tx`insert into ${tx(table)} (${columns(tx, [...keys, 'count'])}) ${addedUp(tx, sum)}`;
  }
}

/** The rows of a platform-wide sum, from the sums of petitions. */
const addedUp = (db: Db, { from, as }: (typeof overallSums)[number]) => db`
  select ${as(db)}, sum(count) from ${db(from)} group by 1, 2 having sum(count) <> 0`;

/** Runs `read` on one snapshot, in a read-only transaction. */
export const inSnapshot = <T>(db: Pool, read: (tx: Tx) => Promise<T>) =>
  db.begin('isolation level repeatable read read only', async (tx) => {
    await tx.setStatementTimeout(0);
    return read(tx);
  });

/** Returns the petition's signature events that neither the follower nor a rebuild has processed. */
export async function unseenEvents(tx: Tx, petitionId: string): Promise<LoggedEvent[]> {
  const rows = await tx<EventRow[]>`
    select e.transaction::text, e.position::text, e.id, e.type, e.petition_id, e.actor_type,
      e.actor_id, e.data, e.created_at
    from events e
    join event_followers f on f.name = ${followerName}
    left join rebuilt_sums r on r.petition_id = ${petitionId}
    where e.petition_id = ${petitionId} and e.type = any(${[...summedTypes]}::text[])
      and (e.transaction, e.position) > (f.transaction, f.position)
      and e.position > coalesce(r.position, -1)`;
  return rows.map(toLoggedEvent);
}

/** Counts the rows of a sum that differ from the petition's signatures without the `unseen` cells. */
export async function countDifferences(
  tx: Tx,
  sum: Sum,
  petitionId: string,
  unseen: Cell[],
  since: Date,
): Promise<number> {
  const seen = tx`(
    select * from (${countedCells(tx, petitionId)}) signature
    union all
    select petition_id, hour, place, source, -count from ${asRows(tx, unseen)}
  ) as cell`;
  const { table, keys, windowed } = sum;
  return tx.value<number>`
    with expected (${columns(tx, [...keys, 'count'])}) as (${summed(tx, sum, seen, since)}),
    stored as (
      select ${columns(tx, [...keys, 'count'])} from ${tx(table)}
      where petition_id = ${petitionId} ${windowed ? tx`and hour >= ${since}` : tx``}
    )
    select count(*)::integer as n
    from expected e full join stored s using (${columns(tx, keys)})
    where e.count is distinct from s.count`;
}

/** Counts the rows of platform-wide sums that differ from those of petitions. */
export async function countOverallDifferences(tx: Tx): Promise<number> {
  let differences = 0;
  for (const sum of overallSums) {
    const { table, keys } = sum;
    differences += await tx.value<number>`
      with expected (${columns(tx, [...keys, 'count'])}) as (${addedUp(tx, sum)})
      select count(*)::integer as n
      from expected e full join ${tx(table)} s using (${columns(tx, keys)})
      where e.count is distinct from s.count`;
  }
  return differences;
}

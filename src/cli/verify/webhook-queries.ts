import type { Db, Tx } from '../../platform/db.ts';
import { publicEventTypes, type LogPosition } from '../../platform/events.ts';
import type { KeyRange } from './keys.ts';
import { inRange, type Update } from './log-queries.ts';
import { writtenIn } from './snapshot.ts';

export async function hasActiveEndpoints(db: Db): Promise<boolean> {
  const rows = await db`select from webhook_endpoints where is_active limit 1`;
  return rows.length > 0;
}

/**
 * The place of the oldest event that is known to have been followed: what comes after it was followed too. Null where
 * none is.
 */
export async function firstFollowed(db: Db): Promise<LogPosition | undefined> {
  const [row] = await db<LogPosition[]>`
    select transaction::text, position::text from webhook_payloads
    where transaction is not null
    order by event_id
    limit 1`;
  return row;
}

/** When the events in the range were told. */
export async function timesOf(
  db: Db,
  range: KeyRange<LogPosition>,
): Promise<{ first: Date; last: Date } | undefined> {
  const [row] = await db<{ first: Date | null; last: Date | null }[]>`
    select min(created_at) as first, max(created_at) as last from events e
    where ${inRange(db, range)}`;
  return row?.first && row.last ? { first: row.first, last: row.last } : undefined;
}

export interface DeliveryQuery {
  range: KeyRange<LogPosition>;
  /** Events of before are not looked at. */
  since: Date;
  petitionId: string | null;
  /** The last changes of petitions of organizations. */
  updates: Update[];
}

/** An event, and an endpoint that it is for. */
export interface Pair {
  endpoint_id: string;
  event_id: string;
}

/** Whether event `e` is one of those that are asked for. */
const isAskedFor = (db: Db, { range, since, petitionId }: DeliveryQuery) => db`
  (${inRange(db, range)} and e.type = any(${publicEventTypes}::text[])
    and e.petition_id is not null and e.created_at >= ${since}
    ${petitionId ? db`and e.petition_id = ${petitionId}` : db``})`;

/**
 * Up to which transaction user `u`, who is not suspended, may have been: 0 for those of whom the audit log does not say
 * that they were let in again. An administrator is let in by settings, too.
 */
const lastSuspension = (db: Db) => db`
  case when u.role = 'admin'
      or exists (select from audit_log a where a.target_id = u.id and a.action = 'user.unsuspend')
    then ${writtenIn(db, db`u.xmin`)} else 0 end`;

/**
 * Whom these events are for, as far as it is certain: who owns the endpoint, what it subscribes to and what its owner
 * may have are not kept as they were, but row versions that were written before an event are what its follower has
 * read. Seen from the other side, this is `findListeners` of reach/webhooks.
 */
export async function expectedDeliveries(db: Db, query: DeliveryQuery): Promise<Pair[]> {
  return db<Pair[]>`
    with told as materialized (
      select e.id, e.type, e.petition_id, e.transaction, e.position, e.created_at,
        e.transaction::text::bigint as number
      from events e where ${isAskedFor(db, query)}
    ),
    petition as materialized (
      select p.id, p.creator_id, p.org_id, p.published_at, p.deleted_at, u.transaction, u.position
      from petitions p
      left join jsonb_to_recordset(${db.json(query.updates)})
        as u (petition_id uuid, transaction xid8, position bigint) on u.petition_id = p.id
      where p.id in (select petition_id from told)
    ),
    listener as materialized (
      select p.id as petition_id, w.id as endpoint_id, w.events, null::timestamptz as since,
        greatest(${writtenIn(db, db`w.xmin`)}, ${lastSuspension(db)}) as settled,
        null::xid8 as transaction, null::bigint as position
      from petition p
      join webhook_endpoints w on w.user_id = p.creator_id and w.is_active and w.org_id is null
      join users u on u.id = w.user_id and u.suspended_at is null
      union all
      select p.id, w.id, w.events,
        case when p.creator_id = m.user_id then null else p.published_at end,
        greatest(${writtenIn(db, db`w.xmin`)}, ${lastSuspension(db)}, ${writtenIn(db, db`m.xmin`)}),
        coalesce(p.transaction, '0'), coalesce(p.position, 0)
      from petition p
      join memberships m on m.org_id = p.org_id and m.role in ('owner', 'admin')
        and (p.creator_id = m.user_id or (p.published_at is not null and p.deleted_at is null))
      join webhook_endpoints w on w.user_id = m.user_id and w.is_active
        and (w.org_id is null or w.org_id = m.org_id)
      join users u on u.id = w.user_id and u.suspended_at is null
    )
    select distinct l.endpoint_id, t.id as event_id
    from told t
    join listener l on l.petition_id = t.petition_id and t.type = any(l.events)
      and coalesce(l.since, t.created_at) <= t.created_at and l.settled < t.number
      and (l.transaction is null or (t.transaction, t.position) > (l.transaction, l.position))`;
}

/**
 * The deliveries of these events whose ids are between two, and those of them that are there twice. Deliveries that the
 * follower stores have the time of its transaction; one that was asked for again has another.
 */
export async function storedDeliveries(
  tx: Tx,
  query: DeliveryQuery,
  ids: { from: string; to: string },
): Promise<(Pair & { doubled: boolean })[]> {
  // PostgreSQL expects a few events, and would go through all of them for each delivery.
  await tx`set local enable_nestloop = off`;
  return tx<(Pair & { doubled: boolean })[]>`
    select d.endpoint_id, d.event_id, count(*) > count(distinct d.created_at) as doubled
    from webhook_deliveries d
    join (select e.id from events e where ${isAskedFor(tx, query)}) told on told.id = d.event_id
    where d.id between ${ids.from} and ${ids.to}
    group by d.endpoint_id, d.event_id`;
}

import type { Db } from '../../platform/db.ts';
import {
  toLoggedEvent,
  type EventRow,
  type LoggedEvent,
  type LogPosition,
} from '../../platform/events.ts';
import type { Owner } from './queries.ts';
import { publicEventTypes } from './schema.ts';

export async function findPosition(db: Db, eventId: string): Promise<LogPosition | undefined> {
  return db.first<LogPosition>`
    select transaction::text, position::text from events where id = ${eventId}`;
}

export async function findEvents(db: Db, positions: LogPosition[]): Promise<LoggedEvent[]> {
  const rows = await db<EventRow[]>`
    select ${eventColumns(db)}
    from jsonb_to_recordset(${db.json(positions)}) as p (transaction xid8, position bigint)
    join events e on (e.transaction, e.position) = (p.transaction, p.position)`;
  return rows.map(toLoggedEvent);
}

const eventColumns = (db: Db) => db`
  e.transaction::text, e.position::text, e.id, e.type, e.petition_id, e.actor_type, e.actor_id, e.data,
  e.created_at`;

/**
 * Selects the petitions whose events the owner gets, and since when (docs/specification/events.md, Who receives
 * events). Creators get all events. Owners and admins of the organization get those since publication, and none of
 * deleted petitions.
 */
const petitionsOf = (db: Db, { userId, onlyOrgId }: Owner) => db`
  select p.id, case when p.creator_id = m.user_id then null else p.published_at end as since
  from memberships m join petitions p on p.org_id = m.org_id
  where m.user_id = ${userId} and m.role in ('owner', 'admin')
    and (p.creator_id = m.user_id or (p.published_at is not null and p.deleted_at is null))
    ${
      onlyOrgId
        ? db`and m.org_id = ${onlyOrgId}`
        : db`
  union
  select id, null from petitions where creator_id = ${userId}`
    }`;

/**
 * Returns the next events of the owner's petitions, in the order of the log, up to the oldest running
 * transaction. A page of n events can only come from the n petitions whose next events are the oldest:
 * for the others, only one event is read.
 *
 * With 1,000 petitions, a page of 20 reads 4,800 database pages, at any depth.
 */
export async function readOwnerLog(
  db: Db,
  owner: Owner,
  after: LogPosition,
  limit: number,
): Promise<LoggedEvent[]> {
  // A range within the petition's part of the index, in the order of that index: with `petition_id = …`
  // and the order of the log, PostgreSQL may read the whole log.
  const next = (own: ReturnType<typeof petitionsOf>) => db`
    (e.petition_id, e.transaction, e.position)
      > (${own}.id, ${after.transaction}::xid8, ${after.position}::bigint)
    and e.petition_id <= ${own}.id and (${own}.since is null or e.created_at >= ${own}.since)
    and e.transaction < pg_snapshot_xmin(pg_current_snapshot())
    and e.type <> 'comment.created' and e.type = any(${publicEventTypes}::text[])
    order by e.petition_id, e.transaction, e.position`;
  const rows = await db<EventRow[]>`
    with first as materialized (
      select own.*, head.* from (${petitionsOf(db, owner)}) own
      cross join lateral (
        select e.transaction, e.position from events e where ${next(db`own`)} limit 1
      ) head
      order by head.transaction, head.position
      limit ${limit}
    )
    select ${eventColumns(db)} from first
    cross join lateral (
      select * from events e where ${next(db`first`)} limit ${limit}
    ) e
    order by e.transaction, e.position
    limit ${limit}`;
  return rows.map(toLoggedEvent);
}

export interface Subscriber {
  petition_id: string;
  endpoint_id: string;
  events: string[];
  /** Null for the creator, who gets all events. */
  since: Date | null;
}

/** Returns the endpoints that get events of these petitions: the inverse of `petitionsOf`. */
export async function findSubscribers(db: Db, petitionIds: string[]): Promise<Subscriber[]> {
  return db<Subscriber[]>`
    with petition as materialized (
      select id, creator_id, org_id, published_at, deleted_at from petitions
      where id = any(${petitionIds}::uuid[])
    ),
    audience as (
      select id, creator_id as user_id, null::uuid as as_admin_of, null::timestamptz as since
      from petition
      union all
      select p.id, m.user_id, m.org_id,
        case when p.creator_id = m.user_id then null else p.published_at end
      from petition p join memberships m on m.org_id = p.org_id
      where m.role in ('owner', 'admin')
        and (p.creator_id = m.user_id or (p.published_at is not null and p.deleted_at is null))
    )
    select distinct a.id as petition_id, w.id as endpoint_id, w.events, a.since from audience a
    join webhook_endpoints w on w.user_id = a.user_id and w.is_active
      and (w.org_id is null or w.org_id = a.as_admin_of)
    join users u on u.id = w.user_id and u.suspended_at is null`;
}

/** Returns the endpoints of administrators, which get events of all petitions. */
export async function findAdminEndpoints(
  db: Db,
): Promise<Pick<Subscriber, 'endpoint_id' | 'events'>[]> {
  return db<Subscriber[]>`
    select w.id as endpoint_id, w.events from users u
    join webhook_endpoints w on w.user_id = u.id and w.is_active and w.org_id is null
    where u.role = 'admin' and u.suspended_at is null`;
}

import type { Db, Pool, Tx } from '../../platform/db.ts';
import { isAfter, startOfLog, type LogPosition } from '../../platform/events.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { publicEventTypes } from '../../reach/webhooks/schema.ts';
import type { DatabaseCheck, Finding } from './check.ts';
import type { PetitionUpdate } from './log.ts';
import { firstUuid, isEventIn, lastUuid, logPages, type LogRange } from './pages.ts';
import { followerPositions, inSnapshot, writerTransaction } from './snapshot.ts';

/** Each handled event has one delivery for each endpoint, as far as that is certain. */
export const webhookDeliveries: DatabaseCheck = {
  name: 'webhook-deliveries',
  subject: 'deliveries',

  async *run({ db, keptSince: since, petitionId, log }) {
    const handled = await inSnapshot(db, handledRange);
    if (!handled) return;
    const updates = [...log.lastUpdates.values()];
    for await (const range of logPages(db, handled.to, handled.after)) {
      yield await compare(db, { range, since, petitionId, updates });
    }
  },
};

/** Most deliveries are stored within this time after their event. */
const usualLagMs = 5 * 60_000;
/** A delivery may seem this much older than its event, which has the start time of its transaction, or if clocks differ. */
const usualEarlinessMs = 60_000;

/** The part of the log that the follower is known to have handled; undefined without endpoints. */
async function handledRange(tx: Tx): Promise<LogRange | undefined> {
  if (!(await hasActiveEndpoints(tx))) return undefined;
  const to = (await followerPositions(tx)).get('webhooks');
  const first = await firstHandledPosition(tx);
  if (!to || !first || isAfter(first, to)) return undefined;
  // Includes the first one.
  const position = String(BigInt(first.position) - 1n);
  return { after: { ...startOfLog, ...first, position }, to };
}

/** Looks for deliveries near the time of their events, and then everywhere if some are missing. */
async function compare(db: Pool, query: DeliveryQuery): Promise<Finding> {
  const times = await timeRangeOf(db, query.range);
  if (!times) return { checked: 0, wrong: [] };
  const near = {
    from: firstIdOf(new Date(times.first.getTime() - usualEarlinessMs)),
    to: firstIdOf(new Date(times.last.getTime() + usualLagMs)),
  };
  let found = await compareWithin(db, query, near);
  if (found.missing.length > 0) {
    found = await compareWithin(db, query, { from: firstUuid, to: lastUuid });
  }
  return {
    checked: found.expected,
    wrong: [
      ...found.missing.map(describe('no delivery')),
      ...found.doubled.map(describe('two deliveries')),
    ],
  };
}

const describe = (what: string) => (pair: Pair) =>
  `event ${pair.event_id} has ${what} to endpoint ${pair.endpoint_id}`;

const compareWithin = (db: Pool, query: DeliveryQuery, ids: { from: string; to: string }) =>
  inSnapshot(db, async (tx) => {
    const expected = await expectedDeliveries(tx, query);
    const stored = await storedDeliveries(tx, query, ids);
    const keyOf = ({ endpoint_id, event_id }: Pair) => `${endpoint_id} ${event_id}`;
    const keys = new Set(stored.map(keyOf));
    return {
      expected: expected.length,
      missing: expected.filter((pair) => !keys.has(keyOf(pair))),
      doubled: stored.filter(({ doubled }) => doubled),
    };
  });

async function hasActiveEndpoints(db: Db): Promise<boolean> {
  return db.exists`select from webhook_endpoints where is_active limit 1`;
}

/** Reads the position of the oldest event that the follower is known to have handled; it has handled all later ones. */
async function firstHandledPosition(db: Db): Promise<LogPosition | undefined> {
  return db.first<LogPosition>`
    select transaction::text, position::text from webhook_payloads
    where transaction is not null
    order by event_id
    limit 1`;
}

/** Reads the times of the first and last event in the range. */
async function timeRangeOf(
  db: Db,
  range: LogRange,
): Promise<{ first: Date; last: Date } | undefined> {
  const row = await db.first<{ first: Date | null; last: Date | null }>`
    select min(created_at) as first, max(created_at) as last from events e
    where ${isEventIn(db, range)}`;
  return row?.first && row.last ? { first: row.first, last: row.last } : undefined;
}

interface DeliveryQuery {
  range: LogRange;
  /** Ignores older events. */
  since: Date;
  petitionId: string | null;
  /** The last changes of petitions of organizations. */
  updates: PetitionUpdate[];
}

/** An event, and an endpoint that must receive it. */
interface Pair {
  endpoint_id: string;
  event_id: string;
}

/** Whether event `e` matches the query. */
const isAskedFor = (db: Db, { range, since, petitionId }: DeliveryQuery) => db`
  (${isEventIn(db, range)} and e.type = any(${publicEventTypes}::text[])
    and e.petition_id is not null and e.created_at >= ${since}
    ${petitionId ? db`and e.petition_id = ${petitionId}` : db``})`;

/**
 * The last transaction in which user `u`, who is not suspended now, may have been suspended: 0 if the audit log has no
 * unsuspension. Settings can unsuspend administrators, too.
 */
const lastSuspension = (db: Db) => db`
  case when u.role = 'admin'
      or exists (select from audit_log a where a.target_id = u.id and a.action = 'user.unsuspend')
    then ${writerTransaction(db, db`u.xmin`)} else 0 end`;

/**
 * Computes the deliveries of these events, as far as they are certain. The database does not store former owners,
 * subscriptions and permissions; but row versions written before an event are those that the follower has read. The
 * counterpart of `findListeners` of reach/webhooks.
 */
async function expectedDeliveries(db: Db, query: DeliveryQuery): Promise<Pair[]> {
  return db<Pair[]>`
    with event as materialized (
      select e.id, e.type, e.petition_id, e.transaction, e.position, e.created_at,
        e.transaction::text::bigint as number
      from events e where ${isAskedFor(db, query)}
    ),
    petition as materialized (
      select p.id, p.creator_id, p.org_id, p.published_at, p.deleted_at, u.transaction, u.position
      from petitions p
      left join jsonb_to_recordset(${db.json(query.updates)})
        as u (petition_id uuid, transaction xid8, position bigint) on u.petition_id = p.id
      where p.id in (select petition_id from event)
    ),
    listener as materialized (
      select p.id as petition_id, w.id as endpoint_id, w.events, null::timestamptz as since,
        greatest(${writerTransaction(db, db`w.xmin`)}, ${lastSuspension(db)}) as settled,
        null::xid8 as transaction, null::bigint as position
      from petition p
      join webhook_endpoints w on w.user_id = p.creator_id and w.is_active and w.org_id is null
      join users u on u.id = w.user_id and u.suspended_at is null
      union all
      select p.id, w.id, w.events,
        case when p.creator_id = m.user_id then null else p.published_at end,
        greatest(${writerTransaction(db, db`w.xmin`)}, ${lastSuspension(db)}, ${writerTransaction(db, db`m.xmin`)}),
        coalesce(p.transaction, '0'), coalesce(p.position, 0)
      from petition p
      join memberships m on m.org_id = p.org_id and m.role in ('owner', 'admin')
        and (p.creator_id = m.user_id or (p.published_at is not null and p.deleted_at is null))
      join webhook_endpoints w on w.user_id = m.user_id and w.is_active
        and (w.org_id is null or w.org_id = m.org_id)
      join users u on u.id = w.user_id and u.suspended_at is null
    )
    select distinct l.endpoint_id, t.id as event_id
    from event t
    join listener l on l.petition_id = t.petition_id and t.type = any(l.events)
      and coalesce(l.since, t.created_at) <= t.created_at and l.settled < t.number
      and (l.transaction is null or (t.transaction, t.position) > (l.transaction, l.position))`;
}

/**
 * Reads the deliveries of these events with ids between two, and whether they are duplicates. Deliveries of the follower
 * have the time of its transaction; redeliveries have another time.
 */
async function storedDeliveries(
  tx: Tx,
  query: DeliveryQuery,
  ids: { from: string; to: string },
): Promise<(Pair & { doubled: boolean })[]> {
  // PostgreSQL underestimates the number of events, and would scan them for each delivery.
  await tx`set local enable_nestloop = off`;
  return tx<(Pair & { doubled: boolean })[]>`
    select d.endpoint_id, d.event_id, count(*) > count(distinct d.created_at) as doubled
    from webhook_deliveries d
    join (select e.id from events e where ${isAskedFor(tx, query)}) event on event.id = d.event_id
    where d.id between ${ids.from} and ${ids.to}
    group by d.endpoint_id, d.event_id`;
}

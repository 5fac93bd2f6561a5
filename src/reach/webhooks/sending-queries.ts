import type { Db, Tx } from '../../platform/db.ts';
import type { EndpointCapacity } from './endpoint-concurrency.ts';
import type { DeliveryStatus } from './schema.ts';

export async function insertDeliveries(
  tx: Tx,
  deliveries: { endpointId: string; eventId: string; event: string }[],
): Promise<void> {
  await tx`
    insert into webhook_deliveries (id, endpoint_id, event_id, event)
    select uuid_v7(), * from unnest(${deliveries.map((one) => one.endpointId)}::uuid[],
      ${deliveries.map((one) => one.eventId)}::uuid[], ${deliveries.map((one) => one.event)}::text[])`;
}

export interface TakenDelivery {
  id: string;
  endpoint_id: string;
  event_id: string;
  event: string;
  /** Tries that have ended. */
  attempts: number;
}

/** How long others leave a delivery alone that was taken: longer than any try lasts. */
const leaseSeconds = 60;

interface Taking {
  /** Deliveries of all endpoints together. */
  limit: number;
  /** Of an endpoint that is not among `capacities`. */
  defaultCapacity: number;
  capacities: EndpointCapacity[];
}

/**
 * Leases due deliveries: of every endpoint the first ones, as many as its capacity. Endpoints with due deliveries are
 * found by a loose index scan, so that 100,000 deliveries of one are skipped in one step.
 *
 * On PostgreSQL 18, with 100,000 due to one endpoint and 1,000 to 200 others, it reads 1,900 pages and
 * takes 3 ms.
 */
export async function takeDue(
  db: Db,
  { limit, defaultCapacity, capacities }: Taking,
): Promise<TakenDelivery[]> {
  return db<TakenDelivery[]>`
    with recursive endpoint as (
      (select endpoint_id as id from webhook_deliveries where next_attempt_at is not null
        order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from webhook_deliveries d
        where d.next_attempt_at is not null and d.endpoint_id > endpoint.id
        order by d.endpoint_id limit 1)
      from endpoint where id is not null
    ),
    due_endpoint as (
      select id, coalesce(known.capacity, ${defaultCapacity}) as capacity from endpoint
      left join unnest(${capacities.map(({ endpointId }) => endpointId)}::uuid[],
        ${capacities.map(({ capacity }) => capacity)}::integer[]) as known (id, capacity) using (id)
      where id is not null
      -- Where not all can be served, none is always the last.
      order by random()
    ),
    taken as materialized (
      select due.id from due_endpoint
      cross join lateral (
        select d.id from webhook_deliveries d
        where d.endpoint_id = due_endpoint.id and d.next_attempt_at <= now()
          and (d.leased_until is null or d.leased_until < now())
        order by d.next_attempt_at
        limit due_endpoint.capacity
        for update skip locked
      ) due
      limit ${limit}
    )
    update webhook_deliveries d set leased_until = now() + ${leaseSeconds} * interval '1 second'
    from taken where d.id = taken.id
    returning d.id, d.endpoint_id, d.event_id, d.event, d.attempts`;
}

/** Gives back deliveries whose try was broken off. */
export async function release(db: Db, ids: string[]): Promise<void> {
  await db`update webhook_deliveries set leased_until = null where id = any(${ids}::uuid[])`;
}

/**
 * Ends deliveries that will not be sent, without a try: these, and of the endpoints that are switched off
 * others that are due, many at a time.
 */
export async function failUnsent(db: Db, ids: string[], endpointIds: string[]): Promise<void> {
  await db`
    update webhook_deliveries set status = 'failed', next_attempt_at = null, leased_until = null,
      error = case when endpoint_id = any(${endpointIds}::uuid[]) then 'The endpoint is switched off.'
        else 'The event is no longer kept, or no longer for the owner of the endpoint.' end
    where id = any(${ids}::uuid[]) or id in (
      select id from webhook_deliveries
      where endpoint_id = any(${endpointIds}::uuid[]) and next_attempt_at <= now()
      limit 1000
      for update skip locked)`;
}

export interface Target {
  id: string;
  url: string;
  is_active: boolean;
  secret_sealed: Uint8Array | null;
  /** While it still signs. */
  previous_sealed: Uint8Array | null;
}

export async function findTargets(db: Db, ids: string[]): Promise<Target[]> {
  return db<Target[]>`
    select w.id, w.url, w.is_active and u.suspended_at is null as is_active, w.secret_sealed,
      case when w.previous_until > now() then w.previous_sealed end as previous_sealed
    from webhook_endpoints w left join users u on u.id = w.user_id
    where w.id = any(${ids}::uuid[])`;
}

/**
 * Of these deliveries, those whose endpoint may still have the event: its owner may have left the
 * organization since, or its petition be deleted. Tests, and what is of no petition any more, are for whoever
 * it was made for.
 */
export async function stillEntitled(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await db<{ id: string }[]>`
    select d.id from webhook_deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id
    left join webhook_payloads b on b.event_id = d.event_id
    left join events e on (e.transaction, e.position) = (b.transaction, b.position)
    left join petitions p on p.id = e.petition_id
    where d.id = any(${ids}::uuid[]) and (p.id is null
      or (w.org_id is null and p.creator_id = w.user_id)
      or ((w.org_id is null or w.org_id = p.org_id)
        and (p.creator_id = w.user_id or (p.deleted_at is null and e.created_at >= p.published_at))
        and exists (
        select from memberships m
        where m.org_id = p.org_id and m.user_id = w.user_id and m.role in ('owner', 'admin'))))`;
  return new Set(rows.map(({ id }) => id));
}

/** How a try ended. */
export interface Outcome {
  deliveryId: string;
  endpointId: string;
  /** Where it was sent: what the answer says of the endpoint holds only while that is its address. */
  url: string;
  status: Exclude<DeliveryStatus, 'pending'>;
  responseStatus: number | null;
  error: string | null;
  /** Milliseconds until the next try, where there is one. */
  wait: number | null;
  /** The endpoint said that it is gone for good. */
  gone: boolean;
}

/**
 * Stores how tries ended, and what that says of their endpoints: since when one fails, and that it is
 * switched off and its owner told where it is gone, or has failed for 5 days and at every try of a
 * delivery. One good answer is enough to be well. One statement, so that it is one round trip.
 */
export async function storeOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  await db`
    with outcome as materialized (
      select * from jsonb_to_recordset(${db.json(outcomes)}) as o ("deliveryId" uuid,
        "endpointId" uuid, url text, status text, "responseStatus" smallint, error text,
        wait double precision, gone boolean)
    ),
    stored as (
      update webhook_deliveries d set status = o.status, attempts = d.attempts + 1,
        response_status = o."responseStatus", error = o.error, leased_until = null,
        next_attempt_at = now() + o.wait * interval '1 millisecond',
        delivered_at = case when o.status = 'delivered' then now() end
      from outcome o where d.id = o."deliveryId" and d.next_attempt_at is not null
    ),
    heard as (
      select "endpointId" as id, url, bool_or(gone) as gone, bool_or(status = 'delivered') as well,
        bool_or(status = 'failed') as given_up
      from outcome group by "endpointId", url
    ),
    judged as materialized (
      select w.id, w.user_id, heard.well, w.is_active and (heard.gone or (heard.given_up
        and not heard.well and w.failing_since < now() - interval '5 days')) as dead
      from webhook_endpoints w join heard on heard.id = w.id and heard.url = w.url
      where heard.gone or heard.given_up or heard.well = (w.failing_since is not null)
      order by w.id
      for no key update of w
    ),
    told as (
      insert into events (type, actor_type, data)
      select 'webhook.disabled', 'system',
        jsonb_build_object('endpoint_id', id, 'user_id', user_id)
      from judged where dead
    )
    update webhook_endpoints w set is_active = w.is_active and not judged.dead,
      failing_since = case when not judged.well then coalesce(w.failing_since, now()) end
    from judged where w.id = judged.id`;
}

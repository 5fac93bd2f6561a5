import { insertEvents } from '../../platform/events.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { EndpointCapacity } from './endpoint-concurrency.ts';
import { adminEventTypes, type DeliveryStatus } from './schema.ts';

export async function insertDeliveries(
  tx: Tx,
  deliveries: { endpointId: string; eventId: string; event: string }[],
): Promise<void> {
  await tx`
    insert into webhook_deliveries (id, endpoint_id, event_id, event)
    select uuid_v7(), * from unnest(${deliveries.map(({ endpointId }) => endpointId)}::uuid[],
      ${deliveries.map(({ eventId }) => eventId)}::uuid[],
      ${deliveries.map(({ event }) => event)}::text[])`;
}

export interface LeasedDelivery {
  id: string;
  endpoint_id: string;
  event_id: string;
  event: string;
  /** Attempts that have ended. */
  attempts: number;
}

/** Must be longer than any attempt. */
const leaseSeconds = 60;

interface LeaseLimits {
  /** Deliveries of all endpoints together. */
  limit: number;
  /** Capacity of endpoints that are not in `capacities`. */
  defaultCapacity: number;
  capacities: EndpointCapacity[];
}

/**
 * Leases the first due deliveries of every endpoint, as many as its capacity. A loose index scan finds
 * the endpoints, so that 100,000 deliveries of one are skipped in one step.
 *
 * On PostgreSQL 18, with 100,000 due to one endpoint and 1,000 to 200 others, it reads 1,900 pages and
 * takes 3 ms.
 */
export async function leaseDue(
  db: Db,
  { limit, defaultCapacity, capacities }: LeaseLimits,
): Promise<LeasedDelivery[]> {
  return db<LeasedDelivery[]>`
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
      -- If not all can be served, no endpoint is always the last.
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

/** Ends the lease of a delivery whose attempt was aborted. */
export async function releaseLease(db: Db, id: string): Promise<void> {
  await db`update webhook_deliveries set leased_until = null where id = ${id}`;
}

/** Fails these deliveries without an attempt, and up to 1,000 due ones of the disabled endpoints. */
export async function failWithoutAttempt(
  db: Db,
  ids: string[],
  endpointIds: string[],
): Promise<void> {
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
  /** The secret before the last rotation, for 24 hours. */
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
 * Returns those of the deliveries whose endpoint is still entitled to the event: the owner may have left
 * the organization, or the petition may be deleted. Events without petition, such as tests, always are.
 */
export async function findEntitled(db: Db, ids: string[]): Promise<Set<string>> {
  return new Set(
    await db.column<string>`
    select d.id from webhook_deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id
    left join webhook_payloads b on b.event_id = d.event_id
    left join events e on (e.transaction, e.position) = (b.transaction, b.position)
    left join petitions p on p.id = e.petition_id
    where d.id = any(${ids}::uuid[]) and case when d.event = any(${adminEventTypes}::text[])
      then w.org_id is null and exists (
        select from users u where u.id = w.user_id and u.role = 'admin')
      else p.id is null
      or (w.org_id is null and p.creator_id = w.user_id)
      or ((w.org_id is null or w.org_id = p.org_id)
        and (p.creator_id = w.user_id or (p.deleted_at is null and e.created_at >= p.published_at))
        and exists (
        select from memberships m
        where m.org_id = p.org_id and m.user_id = w.user_id and m.role in ('owner', 'admin'))) end`,
  );
}

/** How an attempt ended. */
export interface Outcome {
  deliveryId: string;
  endpointId: string;
  /** Where it was sent. The outcome says nothing about the endpoint after its address has changed. */
  url: string;
  status: Exclude<DeliveryStatus, 'pending'>;
  responseStatus: number | null;
  error: string | null;
  /** Time until the next attempt; null if there is none. */
  waitMs: number | null;
  /** The endpoint answered 410 Gone. */
  isGone: boolean;
}

/**
 * Stores outcomes, and since when endpoints fail. Disables an endpoint, with an event to inform its owner,
 * if it is gone, or if it has failed for 5 days and at every attempt of a delivery. One success ends a
 * failure. One statement, so that it takes one round trip.
 */
export async function storeOutcomes(db: Db, outcomes: Outcome[]): Promise<void> {
  await db`
    with outcome as materialized (
      select * from jsonb_to_recordset(${db.json(outcomes)}) as o ("deliveryId" uuid,
        "endpointId" uuid, url text, status text, "responseStatus" smallint, error text,
        "waitMs" double precision, "isGone" boolean)
    ),
    stored as (
      update webhook_deliveries d set status = o.status, attempts = d.attempts + 1,
        response_status = o."responseStatus", error = o.error, leased_until = null,
        next_attempt_at = now() + o."waitMs" * interval '1 millisecond',
        delivered_at = case when o.status = 'delivered' then now() end
      from outcome o where d.id = o."deliveryId" and d.next_attempt_at is not null
    ),
    summary as (
      select "endpointId" as id, url, bool_or("isGone") as is_gone,
        bool_or(status = 'delivered') as has_succeeded, bool_or(status = 'failed') as has_failed
      from outcome group by "endpointId", url
    ),
    endpoint as materialized (
      select w.id, w.user_id, s.has_succeeded, w.is_active and (s.is_gone or (s.has_failed
        and not s.has_succeeded and w.failing_since < now() - interval '5 days')) as disable
      from webhook_endpoints w join summary s on s.id = w.id and s.url = w.url
      where s.is_gone or s.has_failed or s.has_succeeded = (w.failing_since is not null)
      order by w.id
      for no key update of w
    ),
    logged as (
      ${insertEvents(
        db,
        db`select 'webhook.disabled', null::uuid, 'system', null::uuid,
          jsonb_build_object('endpoint_id', id, 'user_id', user_id)
        from endpoint where disable`,
      )}
    )
    update webhook_endpoints w set is_active = w.is_active and not endpoint.disable,
      failing_since = case when not endpoint.has_succeeded then coalesce(w.failing_since, now()) end
    from endpoint where w.id = endpoint.id`;
}

import type { Db, Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Delivery, DeliveryStatus, WebhookEndpoint, WebhookEventType } from './schema.ts';

/** Whose endpoints a caller can access. Callers with an organization's key access only its endpoints. */
export interface Owner {
  userId: string;
  onlyOrgId: string | null;
}

const ownedBy = (db: Db, { userId, onlyOrgId }: Owner) => db`
  user_id = ${userId} ${onlyOrgId ? db`and org_id = ${onlyOrgId}` : db``}`;
const endpointColumns = (db: Db) => db`id, url, events, is_active, org_id, created_at`;

export async function listEndpoints(
  db: Db,
  owner: Owner,
  before: string | null,
  limit: number,
): Promise<WebhookEndpoint[]> {
  return db<WebhookEndpoint[]>`
    select ${endpointColumns(db)} from webhook_endpoints
    where ${ownedBy(db, owner)} ${before ? db`and id < ${before}` : db``}
    order by id desc
    limit ${limit}`;
}

/** Returns the addresses of a user's endpoints, newest first. */
export const urlsOfEndpoints = (db: Db, userId: string): Promise<string[]> =>
  db.column<string>`
    select url from webhook_endpoints where user_id = ${userId} order by id desc`;

export async function findEndpoint(
  db: Db,
  owner: Owner,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  return db.first<WebhookEndpoint>`
    select ${endpointColumns(db)} from webhook_endpoints where id = ${id} and ${ownedBy(db, owner)}`;
}

/** Returns the number of the user's endpoints, and locks the user until the transaction ends. */
export async function countEndpointsLocked(tx: Tx, userId: string): Promise<number | undefined> {
  const user = await tx.first`select from users where id = ${userId} for no key update`;
  if (!user) return undefined;
  return tx.value<number | undefined>`
    select count(*)::integer as count from webhook_endpoints where user_id = ${userId}`;
}

export interface NewEndpoint extends Pick<WebhookEndpoint, 'id' | 'org_id' | 'url' | 'events'> {
  user_id: string;
  secret_sealed: Buffer;
}

export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<WebhookEndpoint> {
  return tx.one<WebhookEndpoint>`
    insert into webhook_endpoints ${tx(endpoint)} returning ${endpointColumns(tx)}`;
}

/** Changes an endpoint. Enabling it resets its record of failures. */
export async function updateEndpoint(
  db: Db,
  owner: Owner,
  id: string,
  changes: { url?: string; events?: WebhookEventType[]; is_active?: boolean },
): Promise<WebhookEndpoint | undefined> {
  const written = { ...changes, ...(changes.is_active && { failing_since: null }) };
  if (Object.keys(written).length === 0) return findEndpoint(db, owner, id);
  return db.first<WebhookEndpoint>`
    update webhook_endpoints set ${db(written)}
    where id = ${id} and ${ownedBy(db, owner)}
    returning ${endpointColumns(db)}`;
}

/** Replaces the secret. The previous one also signs for 24 hours. */
export async function replaceSecret(
  db: Db,
  owner: Owner,
  id: string,
  secretSealed: Buffer,
): Promise<WebhookEndpoint | undefined> {
  return db.first<WebhookEndpoint>`
    update webhook_endpoints set previous_sealed = secret_sealed,
      previous_until = now() + interval '24 hours', secret_sealed = ${secretSealed}
    where id = ${id} and ${ownedBy(db, owner)}
    returning ${endpointColumns(db)}`;
}

/** Clears and disables endpoints. A job deletes them later, with their many deliveries. */
export async function clearEndpoints(db: Db, owner: Owner, id: string | null): Promise<number> {
  return db.affected`
    update webhook_endpoints set user_id = null, is_active = false, url = '',
      secret_sealed = null, previous_sealed = null, previous_until = null
    where ${ownedBy(db, owner)} ${id ? db`and id = ${id}` : db``}`;
}

const deliveryColumns = (db: Db) => db`
  id, event_id, event, status, attempts, response_status, error, next_attempt_at, delivered_at,
  created_at`;

/**
 * Returns an endpoint's deliveries in these states, newest first. Reads the newest of each state by one
 * index, then merges them. Of 1,000,000 deliveries, page 1 and page 10,000 each read 24 database pages.
 */
export async function listDeliveries(
  db: Db,
  endpointId: string,
  statuses: readonly DeliveryStatus[],
  before: string | null,
  limit: number,
): Promise<Delivery[]> {
  return db<Delivery[]>`
    select delivery.* from unnest(${statuses}::text[]) as wanted (state)
    cross join lateral (
      select ${deliveryColumns(db)} from webhook_deliveries
      where endpoint_id = ${endpointId} and status = state
        ${before ? db`and id < ${before}` : db``}
      order by id desc
      limit ${limit}
    ) delivery
    order by delivery.id desc
    limit ${limit}`;
}

export async function findDelivery(
  db: Db,
  endpointId: string,
  id: string,
): Promise<Delivery | undefined> {
  return db.first<Delivery>`
    select ${deliveryColumns(db)} from webhook_deliveries
    where id = ${id} and endpoint_id = ${endpointId}`;
}

/** Stores a delivery of an event. Returns undefined if the event's payload is no longer kept. */
export async function insertDelivery(
  db: Db,
  { endpointId, eventId, event }: { endpointId: string; eventId: string; event: string },
): Promise<Delivery | undefined> {
  return db.first<Delivery>`
    insert into webhook_deliveries (id, endpoint_id, event_id, event)
    select ${newId()}, ${endpointId}, event_id, ${event} from webhook_payloads
    where event_id = ${eventId}
    returning ${deliveryColumns(db)}`;
}

/** Returns the user's endpoints without secrets, each with its newest 1,000 deliveries. */
export async function exportEndpoints(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select ${endpointColumns(db)}, failing_since,
      (select coalesce(json_agg(d), '[]') from (
        select id, event_id, event, status, attempts, response_status, error, delivered_at,
          created_at
        from webhook_deliveries where endpoint_id = e.id order by id desc limit 1000
      ) d) as deliveries
    from webhook_endpoints e where user_id = ${userId}
    order by id`;
}

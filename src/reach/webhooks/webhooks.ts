import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Db, type Tx } from '../../platform/db.ts';
import { userActor } from '../../platform/events.ts';
import { organizationOf, type Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import {
  conflict,
  forbidden,
  invalidValue,
  notFound,
  unauthorized,
} from '../../platform/problems.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';
import { deleteBodiesNaming, insertPayloads } from './payload-queries.ts';
import * as queries from './queries.ts';
import {
  deliveryStatuses,
  isAdminEvent,
  testEvent,
  type Delivery,
  type DeliveryListQuery,
  type EventBody,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
  type WebhookInput,
  type WebhookUpdate,
} from './schema.ts';
import { newSecret } from './signing.ts';

export { eventWebhook } from './described-events.ts';

/** Endpoints per user. */
const maxEndpoints = 50;

/** Returns the owner whose endpoints and events the caller can access. */
export const ownerOf = (caller: Caller): queries.Owner => ({
  userId: caller.userId,
  onlyOrgId: organizationOf(caller),
});

/** @throws {Problem} not-found if the endpoint does not belong to the caller */
export async function ownEndpoint(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<WebhookEndpoint> {
  return requireFound(await queries.findEndpoint(ctx.db, ownerOf(caller), id));
}

/** @throws {Problem} not-found if there is no endpoint */
function requireFound(endpoint: WebhookEndpoint | undefined): WebhookEndpoint {
  if (!endpoint) throw endpointNotFound();
  return endpoint;
}

const endpointNotFound = () => notFound('webhook endpoint');

export async function listEndpoints(
  ctx: Context,
  caller: Caller,
  query: PageQuery,
): Promise<Page<WebhookEndpoint>> {
  return pageById(
    'webhooks',
    query,
    (before, count) => queries.listEndpoints(ctx.db, ownerOf(caller), before, count),
    (endpoint) => endpoint,
  );
}

/**
 * Creates an endpoint. Only this result contains its secret.
 * @throws {Problem} validation-failed for an address that must not be reached; conflict for too many
 */
export async function createEndpoint(
  ctx: Context,
  caller: Caller,
  input: WebhookInput,
): Promise<WebhookEndpointWithSecret> {
  const url = normalizeUrl(ctx, input.url);
  requireEventsFor(caller, input.events);
  const { userId, onlyOrgId } = ownerOf(caller);
  const id = newId();
  const secret = newSecret();
  const endpoint = await transaction(ctx.db, async (tx) => {
    const count = await queries.countEndpointsLocked(tx, userId);
    if (count === undefined) throw unauthorized('This account no longer exists.');
    if (count >= maxEndpoints) {
      throw conflict('endpoint_limit_reached', `One account may have ${maxEndpoints} endpoints.`);
    }
    return queries.insertEndpoint(tx, {
      id,
      user_id: userId,
      org_id: onlyOrgId,
      url,
      events: [...new Set(input.events)],
      secret_sealed: ctx.keys.seal('webhook-secret', secret, id),
    });
  });
  return { ...endpoint, secret };
}

export async function updateEndpoint(
  ctx: Context,
  caller: Caller,
  id: string,
  input: WebhookUpdate,
): Promise<WebhookEndpoint> {
  await ownEndpoint(ctx, caller, id);
  requireEventsFor(caller, input.events);
  const changes = {
    ...(input.url !== undefined && { url: normalizeUrl(ctx, input.url) }),
    ...(input.events !== undefined && { events: [...new Set(input.events)] }),
    ...(input.is_active !== undefined && { is_active: input.is_active }),
  };
  return requireFound(await queries.updateEndpoint(ctx.db, ownerOf(caller), id, changes));
}

/** Replaces the endpoint's secret. The previous one also signs for 24 hours. */
export async function rotateSecret(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<WebhookEndpointWithSecret> {
  const secret = newSecret();
  const sealed = ctx.keys.seal('webhook-secret', secret, id);
  const endpoint = requireFound(await queries.replaceSecret(ctx.db, ownerOf(caller), id, sealed));
  return { ...endpoint, secret };
}

export async function deleteEndpoint(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const cleared = await queries.clearEndpoints(tx, ownerOf(caller), id);
    if (cleared === 0) throw endpointNotFound();
    await addJob(tx, 'clean-webhooks', {}, { key: 'clean-webhooks' });
  });
}

/** Returns the hosts of a user's endpoints, each once. */
export async function hostsOfEndpoints(db: Db, userId: string): Promise<string[]> {
  const urls = await queries.urlsOfEndpoints(db, userId);
  return [...new Set(urls.map((url) => new URL(url).host))];
}

export async function deleteAllEndpoints(tx: Tx, userId: string): Promise<void> {
  await queries.clearEndpoints(tx, { userId, onlyOrgId: null }, null);
  await addJob(tx, 'clean-webhooks', {}, { key: 'clean-webhooks' });
}

/**
 * Deletes the user's endpoints and the bodies that name the user. A job repeats the latter a minute later,
 * for bodies that were being composed meanwhile.
 */
export async function eraseUser(tx: Tx, userId: string): Promise<void> {
  await deleteAllEndpoints(tx, userId);
  await deleteBodiesNaming(tx, userId);
  const runAt = new Date(Date.now() + 60_000);
  await addJob(tx, 'forget-in-payloads', { user_id: userId }, { runAt });
}

/** @throws {Problem} forbidden if the events are for administrators, and the caller is none */
function requireEventsFor(caller: Caller, events: readonly string[] = []): void {
  const isAdmin = caller.role === 'admin' && organizationOf(caller) === null;
  if (isAdmin || !events.some(isAdminEvent)) return;
  throw forbidden('Only administrators can have integrity.alert sent.');
}

/** Returns the address without fragment. @throws {Problem} validation-failed if it cannot be used */
function normalizeUrl(ctx: Context, text: string): string {
  const url = new URL(text);
  if (url.username || url.password) throw badUrl('This must not hold a user name or password.');
  url.hash = '';
  try {
    ctx.httpClient.check(url.href);
  } catch (error) {
    if (error instanceof Unreachable) throw badUrl(`This cannot be used: ${error.message}`);
    throw error;
  }
  return url.href;
}

const badUrl = (message: string) => invalidValue('url', message);

/** Returns the deliveries of an endpoint, newest first. */
export async function listDeliveries(
  ctx: Context,
  caller: Caller,
  endpointId: string,
  { status, ...page }: DeliveryListQuery,
): Promise<Page<Delivery>> {
  const { id } = await ownEndpoint(ctx, caller, endpointId);
  const statuses = status ? [status] : deliveryStatuses;
  return pageById(
    'webhook-deliveries',
    page,
    (before, count) => queries.listDeliveries(ctx.db, id, statuses, before, count),
    (delivery) => delivery,
  );
}

/** Sends the event of a delivery again, as a new delivery. */
export async function redeliver(
  ctx: Context,
  caller: Caller,
  { id, delivery_id: deliveryId }: { id: string; delivery_id: string },
): Promise<Delivery> {
  const endpoint = await ownEndpoint(ctx, caller, id);
  const delivery = await queries.findDelivery(ctx.db, id, deliveryId);
  if (!delivery) throw notFound('delivery');
  requireActive(endpoint);
  const { event_id: eventId, event } = delivery;
  const added = await queries.insertDelivery(ctx.db, { endpointId: id, eventId, event });
  if (!added) throw conflict('event_expired', 'Events are kept for 30 days; this one is gone.');
  return added;
}

/** Sends an event of type webhook.test. */
export async function sendTest(ctx: Context, caller: Caller, id: string): Promise<Delivery> {
  requireActive(await ownEndpoint(ctx, caller, id));
  const eventId = newId();
  const body: EventBody = {
    id: eventId,
    type: testEvent,
    created_at: new Date(),
    triggered_by: userActor(caller),
    data: { endpoint_id: id },
  };
  const payload = { event_id: eventId, body: JSON.stringify(body), named: [caller.userId] };
  return transaction(ctx.db, async (tx) => {
    await insertPayloads(tx, [{ ...payload, transaction: null, position: null }]);
    return (await queries.insertDelivery(tx, { endpointId: id, eventId, event: testEvent }))!;
  });
}

/** @throws {Problem} conflict if the endpoint is disabled */
function requireActive({ is_active: isActive }: WebhookEndpoint): void {
  if (!isActive)
    throw conflict('invalid_state', 'The endpoint is switched off. Switch it on first.');
}

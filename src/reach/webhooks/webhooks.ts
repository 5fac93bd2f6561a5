import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import { conflict, invalidValue, unauthorized } from '../../platform/problems.ts';
import { Unreachable } from '../../platform/safe-fetch.ts';
import * as queries from './queries.ts';
import type { EndpointRow } from './queries.ts';
import { endpointNotFound, ownEndpoint, ownerOf, requireFound } from './owning.ts';
import { deleteBodiesNaming } from './payload-queries.ts';
import type {
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookInput,
  WebhookUpdate,
} from './schema.ts';
import { newSecret } from './signing.ts';

export { listDeliveries, redeliver, sendTest } from './deliveries.ts';
export { ownEndpoint } from './owning.ts';

/** Endpoints per user. */
const maxEndpoints = 50;

export async function listEndpoints(
  ctx: Context,
  caller: Caller,
  query: PageQuery,
): Promise<Page<WebhookEndpoint>> {
  return pageById(
    'webhooks',
    query,
    (before, count) => queries.listEndpoints(ctx.db, ownerOf(caller), before, count),
    present,
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
  const { userId, onlyOrgId: orgId } = ownerOf(caller);
  const id = newId();
  const secret = newSecret();
  const row = await transaction(ctx.db, async (tx) => {
    const count = await queries.countEndpointsLocked(tx, userId);
    if (count === undefined) throw unauthorized('This account no longer exists.');
    if (count >= maxEndpoints) throw tooMany();
    const secretSealed = ctx.keys.seal('webhook-secret', secret, id);
    const events = [...new Set(input.events)];
    return queries.insertEndpoint(tx, { id, userId, orgId, url, events, secretSealed });
  });
  return { ...present(row), secret };
}

export async function updateEndpoint(
  ctx: Context,
  caller: Caller,
  id: string,
  input: WebhookUpdate,
): Promise<WebhookEndpoint> {
  await ownEndpoint(ctx, caller, id);
  const changes = {
    ...(input.url !== undefined && { url: normalizeUrl(ctx, input.url) }),
    ...(input.events !== undefined && { events: [...new Set(input.events)] }),
    ...(input.is_active !== undefined && { is_active: input.is_active }),
  };
  return present(requireFound(await queries.updateEndpoint(ctx.db, ownerOf(caller), id, changes)));
}

/** Replaces the endpoint's secret. The previous one also signs for 24 hours. */
export async function rotateSecret(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<WebhookEndpointWithSecret> {
  const secret = newSecret();
  const sealed = ctx.keys.seal('webhook-secret', secret, id);
  const row = requireFound(await queries.replaceSecret(ctx.db, ownerOf(caller), id, sealed));
  return { ...present(row), secret };
}

export async function deleteEndpoint(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const cleared = await queries.clearEndpoints(tx, ownerOf(caller), id);
    if (cleared === 0) throw endpointNotFound();
    await addJob(tx, 'clean-webhooks', {}, { key: 'clean-webhooks' });
  });
}

/** Deletes all endpoints of a user. */
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

/** Returns an endpoint as its owner sees it. */
export const present = ({ id, org_id, url, events, is_active, created_at }: EndpointRow) => ({
  id,
  url,
  events,
  is_active,
  org_id,
  created_at,
});

const badUrl = (message: string) => invalidValue('url', message);

const tooMany = () =>
  conflict('endpoint_limit_reached', `One account may have ${maxEndpoints} endpoints.`);

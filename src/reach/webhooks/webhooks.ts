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
import { noEndpoint, ownEndpoint, ownerOf, required } from './owning.ts';
import { forgetInPayloads } from './payload-queries.ts';
import type {
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookInput,
  WebhookUpdate,
} from './schema.ts';
import { newSecret } from './signing.ts';

export { listDeliveries, redeliver, sendTest } from './deliveries.ts';
export { ownEndpoint } from './owning.ts';

/** Endpoints that one user may have. */
const mostEndpoints = 50;

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
 * Sets up an endpoint. The answer is the one place where its secret is shown.
 * @throws {Problem} validation-failed for an address that must not be reached; conflict for too many
 */
export async function createEndpoint(
  ctx: Context,
  caller: Caller,
  input: WebhookInput,
): Promise<WebhookEndpointWithSecret> {
  const url = usableUrl(ctx, input.url);
  const { userId, onlyOrgId: orgId } = ownerOf(caller);
  const id = newId();
  const secret = newSecret();
  const row = await transaction(ctx.db, async (tx) => {
    const count = await queries.countEndpointsLocked(tx, userId);
    if (count === undefined) throw unauthorized('This account no longer exists.');
    if (count >= mostEndpoints) throw tooMany();
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
    ...(input.url !== undefined && { url: usableUrl(ctx, input.url) }),
    ...(input.events !== undefined && { events: [...new Set(input.events)] }),
    ...(input.is_active !== undefined && { is_active: input.is_active }),
  };
  return present(required(await queries.updateEndpoint(ctx.db, ownerOf(caller), id, changes)));
}

/** Gives the endpoint another secret; the one before signs too for 24 hours. */
export async function rotateSecret(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<WebhookEndpointWithSecret> {
  const secret = newSecret();
  const sealed = ctx.keys.seal('webhook-secret', secret, id);
  const row = required(await queries.replaceSecret(ctx.db, ownerOf(caller), id, sealed));
  return { ...present(row), secret };
}

export async function deleteEndpoint(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const gone = await queries.forgetEndpoints(tx, ownerOf(caller), id);
    if (gone === 0) throw noEndpoint();
    await addJob(tx, 'clean-webhooks', {}, { key: 'clean-webhooks' });
  });
}

/** Ends all endpoints of a user. */
export async function endEndpointsOf(tx: Tx, userId: string): Promise<void> {
  await queries.forgetEndpoints(tx, { userId, onlyOrgId: null }, null);
  await addJob(tx, 'clean-webhooks', {}, { key: 'clean-webhooks' });
}

/**
 * Ends the user's endpoints and takes their name out of what was and will be sent: now, and once more when
 * nothing that was being written with the name can come any more.
 */
export async function eraseUser(tx: Tx, userId: string): Promise<void> {
  await endEndpointsOf(tx, userId);
  await forgetInPayloads(tx, userId);
  const runAt = new Date(Date.now() + 60_000);
  await addJob(tx, 'forget-in-payloads', { user_id: userId }, { runAt });
}

/** The address in the form in which it will be called. */
function usableUrl(ctx: Context, text: string): string {
  const url = new URL(text);
  if (url.username || url.password) throw badUrl('This must not hold a user name or password.');
  url.hash = '';
  try {
    ctx.outgoing.check(url.href);
  } catch (error) {
    if (error instanceof Unreachable) throw badUrl(`This cannot be used: ${error.message}`);
    throw error;
  }
  return url.href;
}

/** An endpoint as its owner sees it. */
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
  conflict('endpoint_limit_reached', `One account may have ${mostEndpoints} endpoints.`);

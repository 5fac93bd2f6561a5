import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller, OAuthScope } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { randomToken } from '../../platform/keys.ts';
import { conflict, invalidValue, notFound, validationFailed } from '../../platform/problems.ts';
import type { Sessions } from '../sessions/sessions.ts';
import * as queries from './client-queries.ts';
import { redirectErrors } from './redirects.ts';
import type { OAuthClient, OAuthClientInput, OAuthClientUpdate } from './schema.ts';
import { inOrder } from './scopes.ts';

const defaultScopes: OAuthScope[] = ['read:petitions', 'read:signatures', 'read:profile'];

/** Clients per user. */
const maxClients = 50;

/** Returns the stored hash of a client's secret. */
export const hashSecret = (ctx: Context, clientId: string, secret: string): Buffer =>
  ctx.keys.hash('oauth', 'client secret', clientId, secret);

/** Registers an application of the caller. Only this result contains the secret of a confidential one. */
export async function registerClient(
  ctx: Context,
  caller: Caller,
  { name, redirect_uris = [], confidential = true, scopes = defaultScopes }: OAuthClientInput,
): Promise<OAuthClient> {
  checkRedirects(redirect_uris, confidential);
  const id = newId();
  const secret = randomToken(32);
  const client = await queries.insertClient(ctx.db, maxClients, {
    id,
    owner_id: caller.userId,
    name: name.trim(),
    redirect_uris,
    secret_hash: confidential ? hashSecret(ctx, id, secret) : null,
    scopes: inOrder(scopes),
  });
  if (!client) throw tooManyClients();
  return { ...client, ...(confidential && { client_secret: secret }) };
}

/** @throws {Problem} validation-failed for an invalid address, or a public client without any */
function checkRedirects(uris: string[], confidential: boolean): void {
  const errors = redirectErrors(uris);
  if (!confidential && uris.length === 0) {
    const message = 'A public client needs one: the code flow is all that it can do.';
    errors.push({ field: 'redirect_uris', message, code: 'too_small' });
  }
  if (errors.length > 0) throw validationFailed(...errors);
}

export const listClients = (
  ctx: Context,
  caller: Caller,
  query: PageQuery,
): Promise<Page<OAuthClient>> =>
  pageById(
    'oauth-clients',
    query,
    (before, count) => queries.listClients(ctx.db, caller.userId, before, count),
    (client) => client,
  );

export async function getClient(ctx: Context, caller: Caller, id: string): Promise<OAuthClient> {
  const client = await queries.findClientOf(ctx.db, id, caller.userId);
  if (!client) throw clientNotFound();
  return client;
}

/** Changes a client's name, redirect URIs and scopes. */
export async function changeClient(
  ctx: Context,
  caller: Caller,
  id: string,
  { name, redirect_uris, confidential, scopes }: OAuthClientUpdate,
): Promise<OAuthClient> {
  return transaction(ctx.db, async (tx) => {
    const client = await queries.lockClientOf(tx, id, caller.userId);
    if (!client) throw clientNotFound();
    if (confidential !== undefined && confidential !== client.confidential) {
      throw confidentialIsFixed();
    }
    if (redirect_uris) checkRedirects(redirect_uris, client.confidential);
    return queries.updateClient(tx, id, {
      name: name?.trim() ?? client.name,
      redirect_uris: redirect_uris ?? client.redirect_uris,
      scopes: scopes ? inOrder(scopes) : client.scopes,
    });
  });
}

const confidentialIsFixed = () =>
  invalidValue('confidential', 'This can never be changed. Register another client.');

/** Replaces a client's secret. The old one becomes invalid at once. */
export async function rotateSecret(ctx: Context, caller: Caller, id: string): Promise<OAuthClient> {
  const client = await getClient(ctx, caller, id);
  if (!client.confidential) throw conflict('invalid_state', 'A public client has no secret.');
  const secret = randomToken(32);
  const hash = hashSecret(ctx, id, secret);
  if (!(await queries.setSecret(ctx.db, id, caller.userId, hash))) throw clientNotFound();
  return { ...client, client_secret: secret };
}

/** Deletes a client and revokes its tokens. */
export async function deleteClient(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  id: string,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    if (!(await queries.deleteClient(tx, id, caller.userId))) throw clientNotFound();
    await sessions.revokeAccess(tx, [id]);
  });
  await ctx.afterCommit(() => sessions.revocations.refresh());
}

const tooManyClients = () =>
  conflict('client_limit_reached', `One account may have ${maxClients} OAuth clients.`);

const clientNotFound = () => notFound('OAuth client');

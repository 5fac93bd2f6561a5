import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { authenticateClient, type ClientCall } from './client-authentication.ts';
import type { ClientRow } from './client-queries.ts';
import { oauthError } from './errors.ts';
import { endAuthorization, hashRefreshToken } from './exchange.ts';
import * as queries from './queries.ts';
import type { AuthorizationRow } from './queries.ts';
import type { Introspection, IntrospectionRequest } from './schema.ts';
import { stillAllowed } from './scopes.ts';

type TokenCall = ClientCall & { body: IntrospectionRequest };

/**
 * Revokes a token of the client (RFC 7009): an access token alone, or a refresh token with its
 * authorization. Ignores unknown tokens and those of other clients.
 */
export async function revoke(ctx: Context, sessions: Sessions, call: TokenCall): Promise<void> {
  const client = await authenticateClient(ctx, call);
  const { token } = call.body;
  const caller = await callerOf(sessions, client, token);
  if (caller) await sessions.revokeAccess(ctx.db, [caller.tokenId]);
  else await endByRefreshToken(ctx, sessions, token, (found) => found.client_id === client.id);
  await sessions.revocations.refresh();
}

/** Ends the authorization of a refresh token if `isTheirs`. Callers refresh `revocations` after the commit. */
export async function endByRefreshToken(
  ctx: Context,
  sessions: Sessions,
  token: string,
  isTheirs: (found: AuthorizationRow) => boolean,
): Promise<void> {
  const secret = { refreshToken: hashRefreshToken(ctx, token) };
  await transaction(ctx.db, async (tx) => {
    const authorization = await queries.lockAuthorization(tx, secret);
    if (!authorization || !isTheirs(authorization)) return;
    await endAuthorization(tx, sessions, authorization.id);
  });
}

/**
 * Describes a token to its confidential client (RFC 7662). Tokens of other clients are inactive.
 * @throws {Problem} unauthorized_client for a public client
 */
export async function introspect(
  ctx: Context,
  sessions: Sessions,
  call: TokenCall,
): Promise<Introspection> {
  const client = await authenticateClient(ctx, call);
  if (!client.secret_hash) {
    throw oauthError('unauthorized_client', 'Only confidential clients may ask.');
  }
  const { token } = call.body;
  const claims =
    (await accessTokenClaims(sessions, client, token)) ??
    (await refreshTokenClaims(ctx, client, token));
  if (!claims) return { active: false };
  return { active: true, client_id: client.id, iss: ctx.config.baseUrl, ...claims };
}

async function accessTokenClaims(sessions: Sessions, client: ClientRow, token: string) {
  const caller = await callerOf(sessions, client, token);
  if (caller?.credential.kind !== 'oauth') return undefined;
  return {
    scope: caller.credential.scopes.join(' '),
    sub: caller.userId,
    exp: caller.expiresAt,
    token_type: 'Bearer' as const,
  };
}

async function refreshTokenClaims(ctx: Context, client: ClientRow, token: string) {
  const secret = { refreshToken: hashRefreshToken(ctx, token) };
  const found = await queries.findAuthorization(ctx.db, secret);
  if (found?.client_id !== client.id) return undefined;
  if (found.used || found.expired || found.suspended) return undefined;
  return {
    scope: stillAllowed(found.scopes, client).join(' '),
    sub: found.user_id,
    exp: Math.floor(found.expires_at.getTime() / 1000),
  };
}

/** Returns the caller of a valid access token of this client. */
async function callerOf(
  sessions: Sessions,
  client: ClientRow,
  token: string,
): Promise<Caller | undefined> {
  try {
    const caller = await sessions.callerOf(token);
    const { credential } = caller;
    return credential.kind === 'oauth' && credential.clientId === client.id ? caller : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

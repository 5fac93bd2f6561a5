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

type Question = ClientCall & { body: IntrospectionRequest };

/**
 * Ends a token of the client: an access token alone, a refresh token with all that came of the same
 * code (RFC 7009). One that is not its own, or nobody's, is passed over.
 */
export async function revoke(ctx: Context, sessions: Sessions, call: Question): Promise<void> {
  const client = await authenticateClient(ctx, call);
  const { token } = call.body;
  const caller = await bearerOf(sessions, client, token);
  if (caller) await sessions.withdraw(ctx.db, [caller.tokenId]);
  else await endByRefreshToken(ctx, sessions, token, (found) => found.client_id === client.id);
  await sessions.revocations.refresh();
}

/**
 * Ends all that came of the same code as a refresh token, where that is for the asker to end. Once that is
 * committed, the standing should be read anew.
 */
export async function endByRefreshToken(
  ctx: Context,
  sessions: Sessions,
  token: string,
  isTheirs: (found: AuthorizationRow) => boolean,
): Promise<void> {
  const handed = { refreshToken: hashRefreshToken(ctx, token) };
  await transaction(ctx.db, async (tx) => {
    const authorization = await queries.lockAuthorization(tx, handed);
    if (!authorization || !isTheirs(authorization)) return;
    await endAuthorization(tx, sessions, authorization.id);
  });
}

/**
 * Tells a confidential client of a token of its own (RFC 7662); of any other, that it does not count.
 * @throws {Problem} unauthorized_client for a public client
 */
export async function introspect(
  ctx: Context,
  sessions: Sessions,
  call: Question,
): Promise<Introspection> {
  const client = await authenticateClient(ctx, call);
  if (!client.secret_hash) {
    throw oauthError('unauthorized_client', 'Only confidential clients may ask.');
  }
  const { token } = call.body;
  const known =
    (await ofAccessToken(sessions, client, token)) ?? (await ofRefreshToken(ctx, client, token));
  if (!known) return { active: false };
  return { active: true, client_id: client.id, iss: ctx.config.baseUrl, ...known };
}

async function ofAccessToken(sessions: Sessions, client: ClientRow, token: string) {
  const caller = await bearerOf(sessions, client, token);
  if (caller?.credential.kind !== 'oauth') return undefined;
  return {
    scope: caller.credential.scopes.join(' '),
    sub: caller.userId,
    exp: caller.expiresAt,
    token_type: 'Bearer' as const,
  };
}

async function ofRefreshToken(ctx: Context, client: ClientRow, token: string) {
  const handed = { refreshToken: hashRefreshToken(ctx, token) };
  const found = await queries.findAuthorization(ctx.db, handed);
  if (found?.client_id !== client.id) return undefined;
  if (found.used || found.expired || found.suspended) return undefined;
  return {
    scope: stillAllowed(found.scopes, client).join(' '),
    sub: found.user_id,
    exp: Math.floor(found.expires_at.getTime() / 1000),
  };
}

/** Whom an access token of this client stands for, as long as it counts. */
async function bearerOf(
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

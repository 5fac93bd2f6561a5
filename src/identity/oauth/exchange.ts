import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { OAuthScope } from '../../platform/http/route.ts';
import { equalInConstantTime, randomToken } from '../../platform/keys.ts';
import type { Problem } from '../../platform/problems.ts';
import { accessTokenSeconds, type Sessions } from '../sessions/sessions.ts';
import { authenticateClient, type ClientCall } from './client-authentication.ts';
import type { ClientRow } from './client-queries.ts';
import { oauthError } from './errors.ts';
import * as queries from './queries.ts';
import type { AuthorizationRow, AuthorizationSecret } from './queries.ts';
import type { TokenRequest, TokenResponse } from './schema.ts';
import { requestedScopes, stillAllowed } from './scopes.ts';

const grants: Record<string, typeof exchangeCode> = {
  authorization_code: exchangeCode,
  refresh_token: refresh,
  client_credentials: actAsOwner,
};
export const grantTypes = Object.keys(grants);

/**
 * Issues tokens to a client (RFC 6749 sections 4.1.3, 4.4 and 6).
 * @throws {Problem} as section 5.2 defines
 */
export async function issueTokens(
  ctx: Context,
  sessions: Sessions,
  call: ClientCall & { body: TokenRequest },
): Promise<TokenResponse> {
  const type = call.body.grant_type;
  if (!Object.hasOwn(grants, type)) {
    throw oauthError('unsupported_grant_type', `This takes ${grantTypes.join(', ')}.`);
  }
  const client = await authenticateClient(ctx, call);
  return grants[type]!(ctx, sessions, client, call.body);
}

export const hashCode = (ctx: Context, code: string) => ctx.keys.hash('oauth', 'code', code);

export const hashRefreshToken = (ctx: Context, token: string) =>
  ctx.keys.hash('oauth', 'refresh token', token);

async function exchangeCode(
  ctx: Context,
  sessions: Sessions,
  client: ClientRow,
  { code, redirect_uri, code_verifier }: TokenRequest,
): Promise<TokenResponse> {
  if (!code || !redirect_uri) throw missingParameter(code ? 'redirect_uri' : 'code');
  const secret = { code: hashCode(ctx, code) };
  return exchangeSecret(ctx, sessions, client, secret, (authorization) => {
    if (redirect_uri !== authorization.redirect_uri) {
      throw oauthError('invalid_grant', 'The redirect_uri is not that of the request.');
    }
    checkVerifier(authorization.code_challenge, code_verifier);
    return scopesLeft(authorization, client);
  });
}

/**
 * Checks the PKCE verifier (RFC 7636 section 4.6). A verifier without a challenge means that an attacker
 * removed the challenge from the request (RFC 9700 section 4.8.2).
 */
function checkVerifier(challenge: string | null, verifier = ''): void {
  if (challenge === null && verifier === '') return;
  const derived = createHash('sha256').update(verifier).digest('base64url');
  const isWellFormed = /^[\w.~-]{43,128}$/.test(verifier);
  if (challenge === null || !isWellFormed || !equalInConstantTime(derived, challenge)) {
    throw oauthError('invalid_grant', 'The code_verifier does not belong to the code_challenge.');
  }
}

async function refresh(
  ctx: Context,
  sessions: Sessions,
  client: ClientRow,
  { refresh_token, scope }: TokenRequest,
): Promise<TokenResponse> {
  if (!refresh_token) throw missingParameter('refresh_token');
  const secret = { refreshToken: hashRefreshToken(ctx, refresh_token) };
  return exchangeSecret(ctx, sessions, client, secret, (authorization) =>
    requestedScopes(scope, scopesLeft(authorization, client)),
  );
}

/** Issues an access token with which the client acts for its owner, within its scopes. No refresh token. */
async function actAsOwner(
  _ctx: Context,
  sessions: Sessions,
  client: ClientRow,
  { scope }: TokenRequest,
): Promise<TokenResponse> {
  if (!client.secret_hash) {
    throw oauthError('unauthorized_client', 'Only confidential clients may do this.');
  }
  const scopes = requestedScopes(scope, client.scopes);
  const grant = { clientId: client.id, scopes };
  const accessToken = await sessions.tokens.issueAccessToken(client.owner_id, client.id, grant);
  return present(accessToken, scopes);
}

/**
 * Exchanges a code or refresh token for tokens with the scopes that `scopesFor` returns. Reuse ends the
 * authorization, since the secret may have been stolen (RFC 9700 sections 4.5 and 4.14).
 */
async function exchangeSecret(
  ctx: Context,
  sessions: Sessions,
  client: ClientRow,
  secret: AuthorizationSecret,
  scopesFor: (authorization: AuthorizationRow) => OAuthScope[],
): Promise<TokenResponse> {
  const refreshToken = randomToken(32);
  const used = await transaction(ctx.db, async (tx) => {
    const authorization = await queries.lockAuthorization(tx, secret);
    if (authorization?.client_id !== client.id) throw invalidGrant();
    if (authorization.used) return endAuthorization(tx, sessions, authorization.id);
    if (authorization.expired || authorization.suspended) throw invalidGrant();
    const scopes = scopesFor(authorization);
    await queries.renewAuthorization(tx, authorization, hashRefreshToken(ctx, refreshToken));
    return { authorization, scopes };
  });
  if (!used) {
    await sessions.revocations.refresh();
    throw invalidGrant();
  }
  // Signed after the transaction: reading keys needs another connection.
  const { user_id: userId, id } = used.authorization;
  const grant = { clientId: client.id, scopes: used.scopes };
  const accessToken = await sessions.tokens.issueAccessToken(userId, id, grant);
  return { ...present(accessToken, used.scopes), refresh_token: refreshToken };
}

/** Ends an authorization and its tokens. Callers refresh `revocations` after the commit. */
export async function endAuthorization(tx: Tx, sessions: Sessions, id: string): Promise<undefined> {
  await queries.deleteAuthorization(tx, id);
  await sessions.revokeAccess(tx, [id]);
}

/** @throws {Problem} invalid_grant if the client can request none of the scopes any more */
function scopesLeft(authorization: AuthorizationRow, client: ClientRow): OAuthScope[] {
  const scopes = stillAllowed(authorization.scopes, client);
  if (scopes.length === 0) {
    throw oauthError('invalid_grant', 'This client may ask for none of these scopes any more.');
  }
  return scopes;
}

const present = (accessToken: string, scopes: OAuthScope[]): TokenResponse => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: accessTokenSeconds,
  scope: scopes.join(' '),
});

const missingParameter = (name: string): Problem =>
  oauthError('invalid_request', `${name} is needed.`);

const invalidGrant = (): Problem =>
  oauthError('invalid_grant', 'This is unknown, used or expired, or belongs to another client.');

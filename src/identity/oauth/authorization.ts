import type { Context } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { randomToken } from '../../platform/keys.ts';
import { invalidRequest } from '../../platform/problems.ts';
import { findWorkingClient, type ClientRow } from './client-queries.ts';
import { oauthError } from './errors.ts';
import { hashCode } from './exchange.ts';
import { insertAuthorization, type AuthorizationRequest } from './queries.ts';
import { isRegistered, withParameters } from './redirects.ts';
import type { AuthorizeQuery } from './schema.ts';
import { requestedScopes } from './scopes.ts';

/**
 * Returns the client of a request, with a registered redirect_uri.
 * @throws {Problem} invalid-request: then the user must not be redirected (RFC 6749 section 4.1.2.1)
 */
export async function requestingClient(ctx: Context, query: AuthorizeQuery): Promise<ClientRow> {
  const client = await findWorkingClient(ctx.db, query.client_id);
  if (!client) throw invalidRequest('The application that sent you here is not known.');
  if (!isRegistered(client, query.redirect_uri)) {
    throw invalidRequest(
      'The application that sent you here named an address for the answer (redirect_uri) that is not registered for it.',
    );
  }
  return client;
}

/**
 * Validates an authorization request.
 * @throws {Problem} as RFC 6749 section 4.1.2.1 defines, to be reported to the client
 */
export function readRequest(client: ClientRow, query: AuthorizeQuery): AuthorizationRequest {
  if (!query.response_type) throw oauthError('invalid_request', 'response_type is needed.');
  if (query.response_type !== 'code') {
    throw oauthError('unsupported_response_type', 'The only response_type is code.');
  }
  if (!query.state) throw oauthError('invalid_request', 'state is needed.');
  return {
    client,
    redirectUri: query.redirect_uri,
    scopes: requestedScopes(query.scope, client.scopes),
    codeChallenge: readChallenge(client, query),
  };
}

/** Reads the PKCE challenge (RFC 7636 section 4.4.1). Only S256; required of public clients. */
function readChallenge(client: ClientRow, query: AuthorizeQuery): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = query;
  if (!challenge) {
    if (client.secret_hash && !method) return null;
    throw oauthError('invalid_request', 'A code_challenge is needed (RFC 7636).');
  }
  if (method !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw oauthError('invalid_request', 'The code_challenge must be of the method S256.');
  }
  return challenge;
}

/**
 * Stores what the user allows. Returns a code, which is valid once and for 60 s.
 * @throws {Problem} invalid-request if the client was deleted meanwhile
 */
export async function issueCode(
  ctx: Context,
  request: AuthorizationRequest,
  userId: string,
): Promise<string> {
  const code = randomToken(32);
  const stored = await insertAuthorization(ctx.db, {
    ...request,
    id: newId(),
    grantId: newId(),
    userId,
    codeHash: hashCode(ctx, code),
  });
  if (!stored) throw invalidRequest('The application that sent you here is not known any more.');
  return code;
}

/** Returns the redirect URI with the answer and its issuer (RFC 9207). */
export const responseUri = (
  ctx: Context,
  { redirect_uri, state }: AuthorizeQuery,
  answer: Record<string, string>,
): string =>
  withParameters(redirect_uri, { ...answer, ...(state && { state }), iss: ctx.config.baseUrl });

import type { IncomingHttpHeaders } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { isUuid } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import type { Problem } from '../../platform/problems.ts';
import { findWorkingClient, type ClientRow } from './client-queries.ts';
import { hashSecret } from './clients.ts';
import { oauthError } from './errors.ts';

/** Wrong secrets of one client from one address. */
const wrongSecretQuota: Quota = {
  name: 'oauth-client',
  points: 10,
  durationSeconds: 900,
  countsWithoutRedis: true,
};

interface ClientCredentials {
  id: string;
  secret: string | undefined;
  /** Sent as HTTP Basic: a refusal then names the scheme. */
  isBasic: boolean;
}

/** The part of a call that authenticates its client. */
export interface ClientCall {
  headers: IncomingHttpHeaders;
  body: { client_id?: string; client_secret?: string };
  ip: string;
}

/**
 * Authenticates the client of a call (RFC 6749 section 2.3): confidential clients by HTTP Basic or in the
 * body, public ones by their id alone.
 * @throws {Problem} invalid_client; rate-limited after ten wrong secrets from one address
 */
export async function authenticateClient(ctx: Context, call: ClientCall): Promise<ClientRow> {
  const { id, secret, isBasic } = readCredentials(call);
  const client = isUuid(id) ? await findWorkingClient(ctx.db, id) : undefined;
  if (!client) throw invalidClient(isBasic, 'There is no such client, or not any more.');
  if (!client.secret_hash) {
    if (secret === undefined) return client;
    throw invalidClient(isBasic, 'This is a public client, which has no secret.');
  }
  if (secret === undefined) throw invalidClient(isBasic, 'This client must send its secret.');
  // By client and network, so that others cannot lock a client out.
  const authenticated = await ctx.limits.checkGuess(
    [[wrongSecretQuota, `${client.id} ${networkOf(call.ip)}`]],
    'Too many wrong client secrets.',
    async () =>
      timingSafeEqual(client.secret_hash!, hashSecret(ctx, client.id, secret)) ? client : undefined,
  );
  if (authenticated) return authenticated;
  throw invalidClient(isBasic, 'The client secret is wrong.');
}

/** Ignores Authorization headers other than Basic: clients may send an expired token with every call. */
function readCredentials({ headers: { authorization = '' }, body }: ClientCall): ClientCredentials {
  const { client_id: id, client_secret: secret } = body;
  if (!/^Basic\b/i.test(authorization)) {
    if (id) return { id, secret: secret || undefined, isBasic: false };
    throw invalidClient(false, 'Say which client this is: client_id, or Authorization: Basic.');
  }
  const basic = readBasic(authorization);
  if (!basic) throw invalidClient(true, 'Send Authorization: Basic with client_id and secret.');
  if (secret || (id && id !== basic.id)) {
    throw oauthError('invalid_request', 'Credentials of a client must be sent in one way only.');
  }
  return basic;
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function readBasic(header: string): ClientCredentials | undefined {
  const encoded = /^Basic +([\w+/-]+=*) *$/i.exec(header)?.[1];
  const [, id, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    return { id: decode(id), secret: decode(secret) || undefined, isBasic: true };
  } catch {
    return undefined;
  }
}

const invalidClient = (isBasic: boolean, description: string): Problem =>
  oauthError(
    'invalid_client',
    description,
    isBasic ? { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' } : {},
  );

import type { IncomingHttpHeaders } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { isUuid } from '../../platform/ids.ts';
import { networkOf } from '../../platform/limits.ts';
import type { Problem } from '../../platform/problems.ts';
import { findWorkingClient, type ClientRow } from './client-queries.ts';
import { hashSecret } from './clients.ts';
import { oauthError } from './errors.ts';

interface Presented {
  id: string;
  secret: string | undefined;
  /** By an Authorization header, so that a refusal names the scheme. */
  basic: boolean;
}

/** The part of a call that tells which client makes it. */
export interface ClientCall {
  headers: IncomingHttpHeaders;
  body: { client_id?: string; client_secret?: string };
  ip: string;
}

/**
 * The client that makes a call: by HTTP Basic or by the body where it is confidential, by its bare id
 * where it is public (RFC 6749 section 2.3).
 * @throws {Problem} invalid_client; rate-limited after ten wrong secrets from one address
 */
export async function authenticateClient(ctx: Context, call: ClientCall): Promise<ClientRow> {
  const presented = readCredentials(call);
  const client = isUuid(presented.id) ? await findWorkingClient(ctx.db, presented.id) : undefined;
  if (!client) throw invalidClient(presented.basic, 'There is no such client, or not any more.');
  if (!client.secret_hash) {
    if (presented.secret === undefined) return client;
    throw invalidClient(presented.basic, 'This is a public client, which has no secret.');
  }
  if (presented.secret === undefined) {
    throw invalidClient(presented.basic, 'This client must send its secret.');
  }
  await checkSecret(ctx, client, presented.secret, `${client.id} ${networkOf(call.ip)}`, () =>
    invalidClient(presented.basic, 'The client secret is wrong.'),
  );
  return client;
}

/** Failures are counted for client and address together, or anybody could shut a client out. */
async function checkSecret(
  ctx: Context,
  client: ClientRow,
  secret: string,
  limitKey: string,
  wrong: () => Problem,
): Promise<void> {
  await ctx.limits.check('oauth-client', limitKey, 'Too many wrong client secrets.');
  if (timingSafeEqual(client.secret_hash!, hashSecret(ctx, client.id, secret))) return;
  await ctx.limits.count('oauth-client', limitKey);
  throw wrong();
}

/** Of Authorization headers only Basic ones count: a client may send its stale token with every call. */
function readCredentials({ headers: { authorization = '' }, body }: ClientCall): Presented {
  const { client_id: id, client_secret: secret } = body;
  if (!/^Basic\b/i.test(authorization)) {
    if (id) return { id, secret: secret || undefined, basic: false };
    throw invalidClient(false, 'Say which client this is: client_id, or Authorization: Basic.');
  }
  const basic = readBasic(authorization);
  if (!basic) throw invalidClient(true, 'Send Authorization: Basic with client_id and secret.');
  if (secret || (id && id !== basic.id)) {
    throw oauthError('invalid_request', 'Credentials of a client must be sent in one way only.');
  }
  return basic;
}

/** Both parts are form-encoded before they are joined: RFC 6749 section 2.3.1. */
function readBasic(header: string): Presented | undefined {
  const encoded = /^Basic +([\w+/-]+=*) *$/i.exec(header)?.[1];
  const [, id, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
    return { id: decode(id), secret: decode(secret) || undefined, basic: true };
  } catch {
    return undefined;
  }
}

const invalidClient = (basic: boolean, description: string): Problem =>
  oauthError(
    'invalid_client',
    description,
    basic ? { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' } : {},
  );

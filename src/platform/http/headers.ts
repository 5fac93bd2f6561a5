import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { Context } from '../context.ts';
import type { Rate, RateDecision } from '../limits.ts';
import { withLink } from './links.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** How the request counted towards the rate limit of its token or address. */
    limit: { rate: Rate; verdict: RateDecision } | null;
  }
}

export const formType = 'application/x-www-form-urlencoded';
export const jsonType = 'application/json; charset=utf-8';

/** Headers that identify a caller, for Vary. */
export const credentialHeaders = 'Authorization, X-API-Key';

/** The value of Vary of what the API reads. */
export const varyOfReads = `${credentialHeaders}, Accept-Encoding`;

/** Headers of rendered answers. */
export const sharedAnswerHeaders = {
  'content-type': jsonType,
  'cache-control': 'private, no-cache',
  vary: varyOfReads,
};

/** Headers of failures, unless a problem sets its own: most depend on the caller, and none may be cached. */
export const failureHeaders = { 'cache-control': 'no-store', vary: credentialHeaders };

/** Returns whether an address is a proxy whose X-Forwarded-For is trusted; false: none is. */
export type TrustProxy = false | ((address: string) => boolean);

const exposed = [
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-API-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

/** Headers of every answer. Pages replace the content security policy. */
export function fixedHeaders(config: Config): Record<string, string> {
  return {
    'x-api-version': '1',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(config.baseUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000',
    }),
    // Callers send tokens, never cookies, so pages of any origin may call.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
  };
}

/** Headers of every answer that depend on its request. */
export function requestHeaders(id: string, limit: FastifyRequest['limit']): Record<string, string> {
  return {
    'x-request-id': id,
    ...(limit && {
      'x-ratelimit-limit': String(limit.rate.perSecond),
      'x-ratelimit-remaining': String(limit.verdict.remaining),
      'x-ratelimit-reset': String(limit.verdict.resetAt),
      'ratelimit-policy': policyOf(limit.rate),
      ratelimit: `"default";r=${limit.verdict.remaining};t=${limit.verdict.resetSeconds}`,
    }),
  };
}

/** Adds the headers that every answer has, unless it has its own. */
export function addHeaders(
  ctx: Context,
  fixed: Record<string, string>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  for (const [name, value] of Object.entries(fixed)) {
    if (!reply.hasHeader(name)) void reply.header(name, value);
  }
  void reply.headers(requestHeaders(request.id, request.limit));
  deprecateKeyHeader(ctx, request, reply);
}

/**
 * The policy of a token bucket by draft-ietf-httpapi-ratelimit-headers-10: its burst, in the time in which it fills.
 */
const policyOf = ({ perSecond, burst }: Rate): string =>
  `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`;

/** An API key in the deprecated header, which counts if there is no Authorization. Node joins repeated headers. */
export const deprecatedKeyHeader = ({
  authorization,
  'x-api-key': key,
}: IncomingHttpHeaders): string | undefined =>
  authorization === undefined ? (key as string | undefined) : undefined;

/** Whether a request has credentials of the API. */
export const hasCredentials = (headers: IncomingHttpHeaders): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined;

/** Whether the answer may depend on who sends the request. */
export const isPersonal = (headers: IncomingHttpHeaders): boolean =>
  hasCredentials(headers) || headers.cookie !== undefined;

/** Marks the deprecated header of API keys on every answer to a request that uses it (RFC 9745). */
function deprecateKeyHeader(
  { config, site }: Context,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  if (deprecatedKeyHeader(headers) === undefined) return;
  void reply.header('deprecation', keyHeaderDeprecated);
  if (!site.current.modules.developers) return;
  const about = `<${config.baseUrl}/docs>; rel="deprecation"; type="text/html"`;
  void reply.header('link', withLink(reply.getHeader('link')?.toString(), about));
}

const keyHeaderDeprecated = `@${Date.parse('2026-01-01') / 1000}`;

/** Answers a CORS preflight request. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        request.headers['access-control-request-headers'] ?? 'authorization, content-type',
      'access-control-max-age': '86400',
      vary: 'Access-Control-Request-Headers',
    })
    .send();
}

export const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

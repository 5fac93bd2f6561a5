import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { Rate, RateVerdict } from '../limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** How the request counts towards the limit of its token or address. */
    limit: { rate: Rate; verdict: RateVerdict } | null;
  }
}

export const formType = 'application/x-www-form-urlencoded';
export const jsonType = 'application/json; charset=utf-8';

/** What names a caller, and so makes answers differ: for the Vary header. */
export const credentialHeaders = 'Authorization, X-API-Key';

/** Headers of answers that are written out already. */
export const sharedAnswerHeaders = {
  'content-type': jsonType,
  'cache-control': 'private, no-cache',
  vary: credentialHeaders,
};

/** Headers of failures that say nothing else: most depend on the caller, and none is to be kept. */
export const failureHeaders = { 'cache-control': 'no-store', vary: credentialHeaders };

/** Whether an address is of a proxy whose X-Forwarded-For is believed; false: none is. */
export type TrustProxy = false | ((address: string) => boolean);

const exposed = [
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'X-API-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

/** Headers of every answer that are always the same. A page that needs another policy says so. */
export function fixedHeaders(config: Config): Record<string, string> {
  return {
    'x-api-version': '1',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(config.baseUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000',
    }),
    // Callers bring tokens, never cookies, so a page of any origin may call.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
  };
}

/** Headers of every answer that tell of its request. */
export function requestHeaders(id: string, limit: FastifyRequest['limit']): Record<string, string> {
  return {
    'x-request-id': id,
    ...(limit && {
      'x-ratelimit-limit': String(limit.rate.perSecond),
      'x-ratelimit-remaining': String(limit.verdict.remaining),
      'x-ratelimit-reset': String(limit.verdict.resetAt),
    }),
  };
}

/**
 * An API key in the older of its two headers, which counts where there is no Authorization. Node makes
 * one text of a header that is sent twice.
 */
export const olderKeyHeader = ({
  authorization,
  'x-api-key': key,
}: IncomingHttpHeaders): string | undefined =>
  authorization === undefined ? (key as string | undefined) : undefined;

/** Whether anything in a request says who calls. */
export const showsCredentials = (headers: IncomingHttpHeaders): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined;

/** Whether anything in a request may make its answer another than that of a stranger. */
export const identifies = (headers: IncomingHttpHeaders): boolean =>
  showsCredentials(headers) || headers.cookie !== undefined;

/**
 * Says on the answer to a request with its API key in the older header, whatever the answer is, that
 * this header will go (RFC 9745).
 */
export function deprecateKeyHeader(
  { baseUrl }: Config,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  if (olderKeyHeader(headers) === undefined) return;
  const about = `<${baseUrl}/docs>; rel="deprecation"; type="text/html"`;
  const link = [reply.getHeader('link'), about].filter(Boolean).join(', ');
  void reply.headers({ deprecation: keyHeaderDeprecated, link });
}

const keyHeaderDeprecated = `@${Date.parse('2026-01-01') / 1000}`;

/** Answers a browser that asks whether it may call from a page of another origin. */
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

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { invalidRequest, Problem, rateLimited } from '../problems.ts';
import { countRequest } from './admission.ts';
import { failureHeaders, requestHeaders, type TrustProxy } from './headers.ts';
import type { Observe } from './request-metrics.ts';

/** What connections need that the framework does not serve. */
export interface Connections {
  ctx: Context;
  /** Headers of every answer. */
  fixed: Record<string, string>;
  trustProxy: TrustProxy;
  observe: Observe;
}

/** Answers what is not an HTTP request, for example a malformed or too long head. */
export async function refuseConnection(
  { ctx, fixed, trustProxy, observe }: Connections,
  error: Error & { code?: string },
  socket: Socket,
): Promise<void> {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  socket.on('error', () => socket.destroy());
  const startedAt = performance.now();
  const ip = socket.remoteAddress ?? '';
  // A trusted proxy stands for all its clients, and a malformed head does not name them.
  const limit = trustProxy && trustProxy(ip) ? null : await countRequest(ctx, { caller: null, ip });
  const id = randomUUID();
  const { problem, status = problem.status } =
    limit?.verdict.allowed === false
      ? { problem: rateLimited(limit.verdict.retryAfterSeconds) }
      : refusalOf(error);
  writeProblem(ctx, fixed, socket, problem, { id, limit, status });
  observe({ id, method: '', startedAt, route: undefined }, status);
}

/** Why a head is refused, and the status where it is not that of the problem. */
function refusalOf({ code }: { code?: string }): { problem: Problem; status?: number } {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const detail = 'The header is larger than 16 KiB.';
    return { problem: new Problem('request-header-fields-too-large', detail) };
  }
  const problem = invalidRequest('This is not an HTTP request that can be understood.');
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? { problem, status: 408 } : { problem };
}

interface ConnectionAnswer {
  /** Request id. */
  id: string;
  /** Path of the request, if it could be parsed. */
  instance?: string;
  /** How the request counted towards its rate limit, if it was counted. */
  limit?: FastifyRequest['limit'] | undefined;
  /** Instead of the problem's status. */
  status?: number;
}

/** Answers on a connection that Fastify does not serve, and closes it. */
export function writeProblem(
  ctx: Context,
  fixed: Record<string, string>,
  socket: Duplex,
  problem: Problem,
  { id, instance = '', limit = null, status = problem.status }: ConnectionAnswer,
): void {
  const body = JSON.stringify({ ...problem.toBody(ctx.config.baseUrl, instance, id), status });
  const headers = {
    ...fixed,
    ...requestHeaders(id, limit),
    ...failureHeaders,
    ...problem.headers,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  socket.end(`${[first, ...head].join('\r\n')}\r\n\r\n${body}`);
}

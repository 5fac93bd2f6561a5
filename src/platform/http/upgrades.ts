import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import { randomUUID } from 'node:crypto';
import { Problem, rateLimited } from '../problems.ts';
import { countRequest } from './admission.ts';
import { writeProblem, type Connections } from './connection-answers.ts';
import { requestHeaders } from './headers.ts';
import { toProblem } from './problem-answers.ts';

/**
 * Takes over a connection that changes its protocol. `headers` are those of every answer.
 * @throws {Problem} answered before the protocol changes
 */
export type UpgradeHandler = (upgrade: Upgrade) => Promise<void> | void;

export interface Upgrade {
  request: IncomingMessage;
  /** Address of the caller. */
  ip: string;
  socket: Duplex;
  head: Buffer;
  headers: Record<string, string>;
}

/**
 * Whether a request is a WebSocket handshake for one of the paths. Other offers to upgrade are ignored and the request
 * answered (RFC 9110 section 7.8): some clients offer HTTP/2 with each request.
 */
export const isUpgrade = (
  { headers, url }: IncomingMessage,
  handlers: Record<string, UpgradeHandler>,
): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && Object.hasOwn(handlers, pathOf(url));

const pathOf = (url: string | undefined) => url!.split('?', 1)[0]!;

/** Passes WebSocket handshakes to their handlers, after counting them towards the limit of their address. */
export function handleUpgrades(
  listener: Server,
  handlers: Record<string, UpgradeHandler>,
  { ctx, fixed, trustProxy, observe }: Connections,
): void {
  listener.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const id = randomUUID();
    const startedAt = performance.now();
    const observeStatus = (status: number) =>
      observe({ id, method: 'GET', startedAt, route: undefined }, status);
    const instance = pathOf(request.url);
    let limit: Awaited<ReturnType<typeof countRequest>> | undefined;
    const take = async () => {
      const ip = proxyAddress(request, trustProxy || (() => false));
      limit = await countRequest(ctx, { caller: null, ip });
      if (!limit.verdict.allowed) throw rateLimited(limit.verdict.retryAfterSeconds);
      const headers = { ...fixed, ...requestHeaders(id, limit) };
      await handlers[instance]!({ request, ip, socket, head, headers });
      observeStatus(101);
    };
    take().catch((error: unknown) => {
      const problem = toProblem(error);
      if (problem.status >= 500) ctx.log.error({ err: error, request_id: id }, 'an upgrade failed');
      writeProblem(ctx, fixed, socket, problem, { id, instance, limit });
      observeStatus(problem.status);
    });
  });
}

/** The answer to an ordinary request for such a path. */
export const upgradeRequired = (protocol: string) =>
  new Problem('upgrade-required', `Connect with a client of ${protocol}.`, {
    headers: { upgrade: protocol, connection: 'upgrade' },
  });

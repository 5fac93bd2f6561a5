import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { Problem, rateLimited } from '../problems.ts';
import { countRequest } from './admission.ts';
import { toProblem, writeProblem } from './problem-answers.ts';
import { requestHeaders, type TrustProxy } from './headers.ts';

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
  handlers: UpgradeOptions['handlers'],
): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && Object.hasOwn(handlers, pathOf(url));

const pathOf = (url: string | undefined) => url!.split('?', 1)[0]!;

interface UpgradeOptions {
  ctx: Context;
  handlers: Record<string, UpgradeHandler>;
  fixed: Record<string, string>;
  trustProxy: TrustProxy;
}

/** Passes WebSocket handshakes to their handlers, after counting them towards the limit of their address. */
export function handleUpgrades(
  listener: Server,
  { ctx, handlers, fixed, trustProxy }: UpgradeOptions,
): void {
  listener.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const id = randomUUID();
    const instance = pathOf(request.url);
    let limit: Awaited<ReturnType<typeof countRequest>> | undefined;
    const take = async () => {
      const ip = proxyAddress(request, trustProxy || (() => false));
      limit = await countRequest(ctx, { caller: null, ip });
      if (!limit.verdict.allowed) throw rateLimited(limit.verdict.retryAfterSeconds);
      const headers = { ...fixed, ...requestHeaders(id, limit) };
      await handlers[instance]!({ request, ip, socket, head, headers });
    };
    take().catch((error: unknown) => {
      const problem = toProblem(error);
      if (problem.status >= 500) ctx.log.error({ err: error }, 'an upgrade failed');
      writeProblem(ctx, fixed, socket, problem, { id, instance, limit });
    });
  });
}

/** The answer to an ordinary request for such a path. */
export const upgradeRequired = (protocol: string) =>
  new Problem('upgrade-required', `Connect with a client of ${protocol}.`, {
    headers: { upgrade: protocol, connection: 'upgrade' },
  });

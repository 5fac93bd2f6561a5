import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { notFound, Problem, rateLimited } from '../problems.ts';
import { countRequest } from './admission.ts';
import { toProblem, writeProblem } from './failures.ts';
import type { TrustProxy } from './headers.ts';

/**
 * Takes a connection that changes its protocol.
 * @throws {Problem} which is answered before the change
 */
export type UpgradeHandler = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<void> | void;

interface UpgradeOptions {
  ctx: Context;
  handlers: Record<string, UpgradeHandler>;
  fixed: Record<string, string>;
  trustProxy: TrustProxy;
}

/** Brings requests to change the protocol to their handlers, counted towards their address's limit. */
export function takeUpgrades(
  listener: Server,
  { ctx, handlers, fixed, trustProxy }: UpgradeOptions,
): void {
  listener.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const take = async () => {
      const ip = proxyAddress(request, trustProxy || (() => false));
      const { verdict } = await countRequest(ctx, { caller: null, ip });
      if (!verdict.allowed) throw rateLimited(verdict.retryAfterSeconds);
      const handler = handlers[request.url!.split('?', 1)[0]!];
      if (!handler) throw notFound('path that takes an upgrade');
      await handler(request, socket, head);
    };
    take().catch((error: unknown) => {
      const problem = toProblem(error);
      if (problem.status >= 500) ctx.log.error({ err: error }, 'an upgrade failed');
      writeProblem(ctx, fixed, socket, problem, randomUUID());
    });
  });
}

/** What an ordinary request for such a path is told. */
export const upgradeRequired = (protocol: string) =>
  new Problem('upgrade-required', `Connect with a client of ${protocol}.`, {
    headers: { upgrade: protocol, connection: 'upgrade' },
  });

import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { unavailable } from '../problems.ts';
import { writeProblem } from './connection-answers.ts';
import { failureHeaders } from './headers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server stops and can no longer wait for streamed answers. */
    cutOff: AbortSignal;
    /** Keeps serving while clients and load balancers leave. Call it before `close` to lose no request. */
    drain(): Promise<void>;
  }
}

/** How long a draining server serves as usual, until load balancers see it by their readiness checks. */
const noticeMs = 2000;
/** How long it may then take until no connection waits to be accepted. */
const maxAcceptMs = 2000;
/** How long idle connections then stay open, so that an answer can say `Connection: close`. */
const closingMs = 3000;
/** How long a connection stays open whose answer could not say so, such as a stream that ends later. */
const lateIdleMs = 500;
/** How long streamed answers may continue once the server stops. */
const streamsEndMs = 7000;
/** How long any request may continue once the server stops; the process has 10 seconds in all. */
const requestsEndMs = 8500;
/** Time for last answers to be sent before their connections are destroyed. */
const flushMs = 300;

interface ShutdownOptions {
  ctx: Context;
  fixed: Record<string, string>;
  /** Closes connections that are not requests, such as WebSockets. */
  closeConnections: () => void;
}

interface Connection {
  /** The answer to the newest request. */
  newest: ServerResponse | undefined;
}

/**
 * Stops a server without losing requests. Closing an idle connection resets a request that is on its way, and proxies
 * repeat only idempotent ones. HTTP/1.1 has one safe way to end a connection that the client may be writing to:
 * `Connection: close` on an answer (RFC 9112 section 9.6). So a draining server
 *
 * 1. answers readiness checks with 503 and otherwise serves as usual, since clients that had to reconnect would return,
 * 2. stops listening, ends streams of events, and says `Connection: close` in every answer,
 * 3. closes connections that stayed idle all that time.
 */
export class Shutdown {
  draining = false;
  #saysClose = false;
  #cutOff = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #options: ShutdownOptions;
  #listeners: Server[] = [];
  #connections = new Map<Socket, Connection>();
  /** Connections accepted so far. */
  #accepts = 0;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /** Watches a listener's connections. */
  watch(listener: Server): void {
    this.#listeners.push(listener);
    listener.on('connection', (socket: Socket) => {
      this.#accepts += 1;
      this.#connections.set(socket, { newest: undefined });
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** Wraps the handler of all requests. */
  before(handler: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#connections.get(request.socket);
      if (connection) {
        const previous = connection.newest;
        connection.newest = response;
        if (this.#saysClose && !isLastOf(response, previous)) return;
      }
      handler(request, response);
    };
  }

  /** Adds the hooks and decorators of shutting down to the server. */
  register(server: FastifyInstance): void {
    setMaxListeners(0, this.#cutOff.signal);
    server.decorate('cutOff', this.#cutOff.signal);
    server.decorate('drain', () => this.#drain());
    server.addHook('preClose', (done) => {
      this.#begin();
      if (!this.draining) this.#options.closeConnections();
      this.#timers.push(setInterval(() => this.#closeIdle(), 50));
      done();
    });
    server.addHook('onClose', async () => {
      await this.#closed();
      for (const timer of this.#timers) clearTimeout(timer);
    });
  }

  /** Answers readiness checks while the server drains. This is not a failure, so it is not logged. */
  refuseReadiness(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = stopping();
    return reply
      .code(problem.status)
      .headers({ ...failureHeaders, ...problem.headers })
      .header('content-type', 'application/problem+json')
      .send(
        JSON.stringify(problem.toBody(this.#options.ctx.config.baseUrl, request.url, request.id)),
      );
  }

  /** Starts the timers after which answers are cut off. */
  #begin(): void {
    if (this.#timers.length > 0) return;
    this.#timers.push(
      setTimeout(() => this.#cutOff.abort(), streamsEndMs),
      setTimeout(() => void this.#endAll(), requestsEndMs),
    );
  }

  async #drain(): Promise<void> {
    this.#begin();
    this.draining = true;
    // Sent to clients in `Keep-Alive`: the time in which they may reuse the connection.
    for (const listener of this.#listeners) listener.keepAliveTimeout = closingMs;
    await sleep(noticeMs);
    await this.#accepted();
    // Server.close of node:http would close connections whose first request is on its way.
    for (const listener of this.#listeners) NetServer.prototype.close.call(listener);
    this.#sayClose();
    this.#options.closeConnections();
    const end = performance.now() + closingMs;
    while (this.#connections.size > 0 && performance.now() < end) await sleep(20);
    // Immediates run after input was read, so no request waits unread on a connection that is closed here.
    await setImmediate();
    for (const listener of this.#listeners) {
      listener.closeIdleConnections();
      listener.keepAliveTimeout = lateIdleMs;
      listener.keepAliveTimeoutBuffer = 0;
    }
  }

  #sayClose(): void {
    this.#saysClose = true;
    for (const { newest } of this.#connections.values()) {
      if (newest && !newest.headersSent) newest.shouldKeepAlive = false;
    }
  }

  /**
   * Waits until no connection waits to be accepted, since closing a listener resets those. Node accepts one connection
   * per turn of its event loop.
   */
  async #accepted(): Promise<void> {
    const end = performance.now() + maxAcceptMs;
    let before;
    do {
      before = this.#accepts;
      await setImmediate();
    } while (this.#accepts !== before && performance.now() < end);
  }

  #closeIdle(): void {
    // After a drain the listeners' timeout closes them, which leaves time for a request that is on its way.
    if (this.#saysClose) return;
    for (const listener of this.#listeners) listener.closeIdleConnections();
  }

  /** Answers the remaining requests with 503 and destroys every connection. */
  async #endAll(): Promise<void> {
    const { ctx, fixed } = this.#options;
    let requests = 0;
    for (const [socket, { newest }] of this.#connections) {
      if (!newest || newest.writableFinished) continue;
      requests += 1;
      // An answer cannot overtake an earlier one, or start within one that has begun.
      if (newest.headersSent || newest.socket !== socket) continue;
      const instance = newest.req.url!.split('?', 1)[0]!;
      writeProblem(ctx, fixed, socket, stopping(), { id: randomUUID(), instance });
    }
    if (requests > 0) ctx.log.warn({ requests }, 'requests did not end in time');
    await sleep(flushMs);
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  /** Waits for the connections of every listener; Fastify waits for those of the first. */
  async #closed(): Promise<void> {
    await Promise.all(this.#connections.keys().map((socket) => once(socket, 'close')));
  }
}

/**
 * Makes the connection close after this answer instead of after the previous one, so that all pipelined requests are
 * answered. Returns false if the previous answer already said `Connection: close`: later requests must not be processed
 * (RFC 9112 section 9.6), and the client sends them again.
 */
function isLastOf(response: ServerResponse, previous: ServerResponse | undefined): boolean {
  if (previous?.headersSent && !previous.shouldKeepAlive) return false;
  if (previous) previous.shouldKeepAlive = true;
  response.shouldKeepAlive = false;
  return true;
}

const stopping = () => unavailable('This process of the service is stopping.');

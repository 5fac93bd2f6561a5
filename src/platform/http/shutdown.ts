import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { unavailable } from '../problems.ts';
import { writeProblem } from './failures.ts';
import { failureHeaders } from './headers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted where the server stops and answers that are long under way can't be waited for. */
    cutOff: AbortSignal;
    /**
     * Goes on serving for a moment, but makes clients and load balancers leave. To be called before `close`, where
     * no request may be lost.
     */
    drain(): Promise<void>;
  }
}

/** How long a draining server still serves as ever: load balancers see it by their readiness checks. */
const noticeMs = 2000;
/** How long it may take after that until no connection waits to be accepted. */
const longestAcceptMs = 2000;
/** How long kept connections then have to be told `Connection: close` by an answer, and stay open idle. */
const farewellMs = 3000;
/** How long a connection stays open whose answer could not say it, such as a stream that ends later. */
const lateIdleMs = 500;
/** How long streamed answers may go on once the server stops. */
const streamsEndMs = 7000;
/** How long any request may go on once the server stops; the process has 10 seconds in all. */
const requestsEndMs = 8500;
/** Time for last answers to be sent before their connections are destroyed. */
const flushMs = 300;

interface ShutdownOptions {
  ctx: Context;
  fixed: Record<string, string>;
  /** Ends connections that are no requests. */
  hangUp: () => void;
}

interface Connection {
  /** The answer to the newest request. */
  newest: ServerResponse | undefined;
}

/**
 * Stops a server so that each request that was sent gets its answer. A connection that is closed while it is idle
 * resets a request that is on its way, which proxies do not repeat unless it is idempotent; HTTP/1.1 has one way to
 * end a connection that the client may be writing to, `Connection: close` on an answer (RFC 9112 section 9.6). So a
 * server that drains
 *
 * 1. answers readiness checks by 503 and serves as ever, since clients that had to connect again would come back,
 * 2. stops listening, ends streams of events, and says `Connection: close` in every answer,
 * 3. closes what was idle for all that time.
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

  /** Goes before the handler of all requests. */
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

  /** Adds itself to the server's life. */
  register(server: FastifyInstance): void {
    setMaxListeners(0, this.#cutOff.signal);
    server.decorate('cutOff', this.#cutOff.signal);
    server.decorate('drain', () => this.#drain());
    server.addHook('preClose', (done) => {
      this.#begin();
      if (!this.draining) this.#options.hangUp();
      this.#timers.push(setInterval(() => this.#closeIdle(), 50));
      done();
    });
    server.addHook('onClose', async () => {
      await this.#closed();
      for (const timer of this.#timers) clearTimeout(timer);
    });
  }

  /** Answers readiness checks while the server drains. It is no failure, so nothing is logged. */
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

  /** Sets the time by which all has ended. */
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
    // In `Keep-Alive` it tells clients by when they must use the connection again.
    for (const listener of this.#listeners) listener.keepAliveTimeout = farewellMs;
    await sleep(noticeMs);
    await this.#accepted();
    // The method of HTTP servers would close connections whose first request is on its way.
    for (const listener of this.#listeners) NetServer.prototype.close.call(listener);
    this.#sayClose();
    this.#options.hangUp();
    const end = performance.now() + farewellMs;
    while (this.#connections.size > 0 && performance.now() < end) await sleep(20);
    // Immediates run right after input was read, so that no request waits unread on what is closed here.
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
   * Waits until no connection waits to be accepted, since closing a listener resets those. Node accepts one in each
   * turn of its loop.
   */
  async #accepted(): Promise<void> {
    const end = performance.now() + longestAcceptMs;
    let before;
    do {
      before = this.#accepts;
      await setImmediate();
    } while (this.#accepts !== before && performance.now() < end);
  }

  #closeIdle(): void {
    // After a drain the timeout of the listeners does, which leaves time for a request that is on its way.
    if (this.#saysClose) return;
    for (const listener of this.#listeners) listener.closeIdleConnections();
  }

  /** Answers requests that cannot be waited for any longer, and destroys every connection. */
  async #endAll(): Promise<void> {
    const { ctx, fixed } = this.#options;
    let requests = 0;
    for (const [socket, { newest }] of this.#connections) {
      if (!newest || newest.writableFinished) continue;
      requests += 1;
      // Nothing can be written before the answer to an earlier one, or into one that has begun.
      if (newest.headersSent || newest.socket !== socket) continue;
      const instance = newest.req.url!.split('?', 1)[0]!;
      writeProblem(ctx, fixed, socket, stopping(), { id: randomUUID(), instance });
    }
    if (requests > 0) ctx.log.warn({ requests }, 'requests did not end in time');
    await sleep(flushMs);
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  /** Waits for the connections of every listener; the framework waits for those of the first. */
  async #closed(): Promise<void> {
    await Promise.all(this.#connections.keys().map((socket) => once(socket, 'close')));
  }
}

/**
 * Has the connection closed after this answer and not after the one before it, so that pipelined requests are all
 * answered. False where the one before has said that it is the last: what follows it must not be processed (RFC
 * 9112 section 9.6), and the client sends it again.
 */
function isLastOf(response: ServerResponse, previous: ServerResponse | undefined): boolean {
  if (previous?.headersSent && !previous.shouldKeepAlive) return false;
  if (previous) previous.shouldKeepAlive = true;
  response.shouldKeepAlive = false;
  return true;
}

const stopping = () => unavailable('This process of the service is stopping.');

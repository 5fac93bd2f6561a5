import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { deprecatedKeyHeader } from '../../platform/http/headers.ts';
import type { Authenticate } from '../../platform/http/admission.ts';
import type { Upgrade } from '../../platform/http/upgrades.ts';
import type { Context } from '../../platform/context.ts';
import { Connection } from './connection.ts';
import { EventStream } from './event-stream.ts';
import { LiveLimits } from './live-limits.ts';
import type { Credentials, Realtime } from './realtime.ts';

const pingIntervalMs = 30_000;
/** Connections that are checked before the event loop runs other work. */
const connectionsPerTurn = 500;
const maxMessageBytes = 16_384;

/** Returns a request's credentials as the value of an Authorization header. */
export function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const key = deprecatedKeyHeader(headers);
  return headers.authorization ?? (key === undefined ? undefined : `Bearer ${key}`);
}

/** The WebSockets and event streams of this process. */
export class Connections {
  #realtime: Realtime;
  #authenticate: Authenticate;
  #limits: LiveLimits;
  #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Messages are small and serialized once: compression per watcher would cost more than it saves.
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  });
  /** Headers of the 101 response to each upgrade request. */
  #headers = new WeakMap<IncomingMessage, Record<string, string>>();
  #open = new Set<Connection | EventStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: Context, realtime: Realtime, authenticate: Authenticate) {
    this.#limits = new LiveLimits(ctx);
    this.#realtime = realtime;
    this.#authenticate = authenticate;
    this.#webSockets.on('headers', (lines, request) => {
      const headers = Object.entries(this.#headers.get(request)!);
      lines.push(...headers.map(([name, value]) => `${name}: ${value}`));
    });
  }

  start(): void {
    this.#timer = setInterval(() => void this.#keepAlive(), pingIntervalMs);
  }

  /** Upgrades a request to a WebSocket. @throws {Problem} unauthorized, rate-limited */
  async upgrade({ request, ip, socket, head, headers }: Upgrade): Promise<void> {
    const authorization = authorizationOf(request.headers);
    const release = this.#limits.take(ip, await this.#userOf(authorization));
    // Also closed if the handshake fails.
    socket.once('close', release);
    this.#headers.set(request, headers);
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Connection(this.#realtime, socket, webSocket, { authorization, ip });
      this.#open.add(connection);
      webSocket.once('close', () => this.#open.delete(connection));
    });
  }

  async #userOf(authorization: string | undefined): Promise<string | undefined> {
    const headers = { ...(authorization && { authorization }) };
    return (await this.#authenticate({ headers }))?.userId;
  }

  /** Returns a petition's stream of server-sent events. @throws {Problem} as `follow` does, and rate-limited */
  async stream(ref: string, credentials: Credentials, since?: string): Promise<EventStream> {
    const { ip, authorization } = credentials;
    const release = this.#limits.take(ip, await this.#userOf(authorization));
    const stream = new EventStream();
    stream.once('close', release);
    stream.once('close', () => this.#open.delete(stream));
    this.#open.add(stream);
    try {
      stream.bind(await this.#realtime.follow(ref, credentials, stream, since));
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return stream;
  }

  shutDown(): void {
    for (const connection of this.#open) connection.shutDown();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #keepAlive(): Promise<void> {
    let checked = 0;
    for (const connection of this.#open) {
      connection.keepAlive();
      if (++checked % connectionsPerTurn === 0) await setImmediate();
    }
  }
}

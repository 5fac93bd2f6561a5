import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { olderKeyHeader } from '../../platform/http/headers.ts';
import type { Authenticate } from '../../platform/http/admission.ts';
import type { UpgradeHandler } from '../../platform/http/upgrades.ts';
import { Connection } from './connection.ts';
import { EventStream } from './event-stream.ts';
import type { Credentials, Realtime } from './realtime.ts';

/** Connections are asked for a sign of life this often, in milliseconds. */
const beatMilliseconds = 30_000;
/** Connections asked before other work has its turn. */
const portion = 500;
/** Longest message of a client, in bytes. */
const longestMessage = 16_384;

/** The credentials of a request as an Authorization header, in whichever header they came. */
export function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const key = olderKeyHeader(headers);
  return headers.authorization ?? (key === undefined ? undefined : `Bearer ${key}`);
}

/** Every WebSocket and event stream of this process. */
export class Connections {
  #realtime: Realtime;
  #authenticate: Authenticate;
  #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Messages are small and shared: compressing each for each watcher would cost more than it saves.
    perMessageDeflate: false,
    maxPayload: longestMessage,
  });
  /** What is told in the answer that turns a request into a WebSocket. */
  #headers = new WeakMap<IncomingMessage, Record<string, string>>();
  #open = new Set<Connection | EventStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(realtime: Realtime, authenticate: Authenticate) {
    this.#realtime = realtime;
    this.#authenticate = authenticate;
    this.#webSockets.on('headers', (lines, request) => {
      const headers = Object.entries(this.#headers.get(request)!);
      lines.push(...headers.map(([name, value]) => `${name}: ${value}`));
    });
  }

  start(): void {
    this.#timer = setInterval(() => void this.#beat(), beatMilliseconds);
  }

  /** Turns a request into a WebSocket. @throws {Problem} unauthorized */
  async upgrade(...[request, socket, head, headers]: Parameters<UpgradeHandler>): Promise<void> {
    const authorization = authorizationOf(request.headers);
    await this.#authenticate({ headers: { ...(authorization && { authorization }) } });
    this.#headers.set(request, headers);
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Connection(this.#realtime, socket, webSocket, authorization);
      this.#open.add(connection);
      webSocket.once('close', () => this.#open.delete(connection));
    });
  }

  /** Follows a petition as a stream of server-sent events. @throws {Problem} as `follow` does */
  async stream(ref: string, credentials: Credentials, since?: string): Promise<EventStream> {
    const stream = new EventStream();
    stream.once('close', () => this.#open.delete(stream));
    this.#open.add(stream);
    try {
      stream.follows(await this.#realtime.follow(ref, credentials, stream, since));
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return stream;
  }

  hangUp(): void {
    for (const one of this.#open) one.hangUp();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    let asked = 0;
    for (const one of this.#open) {
      one.beat();
      if (++asked % portion === 0) await setImmediate();
    }
  }
}

import { Socket } from 'node:net';
import { Client as PgClient, Pool as PgPool } from 'pg';
import type { ClientBase, ClientConfig, PoolClient, PoolConfig } from 'pg';
import { DatabaseUnavailable } from './errors.ts';
import {
  meetsTarget,
  parseHosts,
  serverStateSql,
  type ServerState,
  type SessionTarget,
} from './hosts.ts';
import { types } from './types.ts';

export interface ClientOptions {
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Session settings, sent at connect. */
  settings: Record<string, string>;
}

/** A connection that can be ended at once, without the server. */
export class Client extends PgClient {
  readonly #socket: Socket;
  /** When the server last answered, by performance.now(). */
  lastAnswerMs = performance.now();
  /** Set as soon as the connection is known to be lost. */
  lost: Error | undefined;
  readonly generation: number;

  /** `generation` is the one of `Servers` at connect. */
  constructor(config: ClientConfig, generation = 0) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    this.generation = generation;
    // Without a listener, an error of an idle connection would end the process.
    this.on('error', (error) => {
      this.lost ??= error;
    });
    this.on('end', () => {
      this.lost ??= new Error('The connection ended.');
    });
  }

  /** Sets whether the connection keeps the process alive. */
  keepsAlive(isKept: boolean): void {
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }

  get isLost(): boolean {
    return this.lost !== undefined || this.#socket.destroyed;
  }

  /** Ends the connection without waiting for the server. The current statement fails with the error. */
  destroy(error: Error): void {
    this.lost ??= error;
    this.#socket.destroy(error);
  }
}

/** The servers of a connection URL. Connections go to one of them, and to the next one after a failure. */
export class Servers {
  readonly #urls: readonly string[];
  readonly #target: SessionTarget;
  #index = 0;
  #generation = 0;
  #generationSinceMs = Number.NEGATIVE_INFINITY;
  #suspectSinceMs = Number.NEGATIVE_INFINITY;

  constructor(url: string) {
    const { urls, target } = parseHosts(url);
    this.#urls = urls;
    this.#target = target;
  }

  get count(): number {
    return this.#urls.length;
  }

  get current(): string {
    return this.#urls[this.#index]!;
  }

  /** Generation of new connections. Pools replace connections of earlier generations. */
  get generation(): number {
    return this.#generation;
  }

  /** Has every pool replace its present connections; at most once a second. */
  replaceConnections(): void {
    const now = performance.now();
    if (now - this.#generationSinceMs < 1000) return;
    this.#generation += 1;
    this.#generationSinceMs = now;
  }

  /** Has connections that have not answered since now checked before they are used. */
  suspectConnections(): void {
    this.#suspectSinceMs = performance.now();
  }

  isSuspect(client: Client): boolean {
    return client.lastAnswerMs < this.#suspectSinceMs;
  }

  /** Moves on from the server of that URL, unless another connection has done so. */
  leave(url: string): void {
    if (url === this.current) this.#index = (this.#index + 1) % this.#urls.length;
  }

  /** @throws {DatabaseUnavailable} if the server does not meet the target */
  async verify(client: ClientBase): Promise<void> {
    if (this.#target === 'any') return;
    const { rows } = await client.query<ServerState>(serverStateSql);
    if (meetsTarget(this.#target, rows[0]!)) return;
    throw new DatabaseUnavailable(`The server is not ${this.#target}.`, { code: 'WRONG_SERVER' });
  }
}

/** Time for a server to accept a connection; shorter if there are others to try. */
const connectTimeoutMs = 4000;
const shortConnectTimeoutMs = 1500;

/** Configuration of a `pg` connection to the current server. */
export function clientConfig(
  servers: Servers,
  { applicationName, settings }: ClientOptions,
): ClientConfig {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    connectionString: servers.current,
    application_name: applicationName,
    ...(options.length > 0 && { options: options.join(' ') }),
    types,
    connectionTimeoutMillis: servers.count > 1 ? shortConnectTimeoutMs : connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

type ConnectCallback = Parameters<PgPool['connect']>[0];

/** A pool that tries the other servers if it cannot connect to the current one. */
class ServersPool extends PgPool {
  readonly #servers: Servers;

  constructor(servers: Servers, config: PoolConfig) {
    super(config);
    this.#servers = servers;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    const connecting = this.#connectToAny();
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  async #connectToAny(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const server = this.#servers.current;
      try {
        return await super.connect();
      } catch (error) {
        this.#servers.leave(server);
        if (tries >= this.#servers.count) throw error;
      }
    }
  }
}

/** Creates a `pg` pool. New connections go to the current server and are verified against the target. */
export function createPgPool(
  servers: Servers,
  options: ClientOptions & { max: number; acquireTimeoutMs: number; queryTimeoutMs?: number },
): PgPool {
  class ServerClient extends Client {
    constructor() {
      const config = clientConfig(servers, options);
      const { queryTimeoutMs } = options;
      super(
        queryTimeoutMs ? { ...config, query_timeout: queryTimeoutMs } : config,
        servers.generation,
      );
    }
  }
  const config: PoolConfig & { onConnect: (client: ClientBase) => Promise<void> } = {
    Client: ServerClient,
    max: options.max,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 30 * 60,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    onConnect: (client) => servers.verify(client),
  };
  const pool = new ServersPool(servers, config);
  // Each client handles its own errors; the pool has already dropped idle connections that failed.
  pool.on('error', () => {});
  pool.on('connect', () => {});
  return pool;
}

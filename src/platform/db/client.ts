import { Socket } from 'node:net';
import { Client as PgClient, Pool as PgPool } from 'pg';
import type { ClientBase, ClientConfig, PoolConfig } from 'pg';
import { DatabaseUnavailable } from './errors.ts';
import { meetsTarget, parseHosts, type SessionTarget } from './hosts.ts';
import { types } from './types.ts';

export interface ClientOptions {
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Settings of the session, sent when it starts. */
  settings: Record<string, string>;
}

/** A connection that can be ended at once, whatever the server does. */
export class Client extends PgClient {
  readonly #socket: Socket;
  /** When it answered last, by the clock of performance.now(). */
  lastAnswerMs = performance.now();
  /** Set as soon as the connection is known to be lost. */
  lost: Error | undefined;
  /** Of the pool's servers when it was made; the pool replaces those of earlier generations. */
  generation = 0;

  constructor(config: ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    // Without a listener, an error of a connection that nobody uses would end the process.
    this.on('error', (error) => {
      this.lost ??= error;
    });
    this.on('end', () => {
      this.lost ??= new Error('The connection ended.');
    });
  }

  /** Whether the connection keeps the process alive. */
  keepsAlive(isKept: boolean): void {
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }

  get isLost(): boolean {
    return this.lost !== undefined || this.#socket.destroyed;
  }

  /** Ends the connection without waiting for the server; a statement under way fails with the error. */
  destroy(error: Error): void {
    this.lost ??= error;
    this.#socket.destroy(error);
  }
}

/** Where connections go: one server of several, and the next one after a failure. */
export class Servers {
  readonly #urls: readonly string[];
  readonly #target: SessionTarget;
  #index = 0;

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

  /** Leaves the server of that URL, unless another connection has done so already. */
  leave(url: string): void {
    if (url === this.current) this.#index = (this.#index + 1) % this.#urls.length;
  }

  /** @throws {DatabaseUnavailable} where the server is not of the kind that is wanted */
  async verify(client: ClientBase): Promise<void> {
    if (this.#target === 'any') return;
    const { rows } = await client.query<{ standby: boolean; read_only: boolean }>(
      `select pg_is_in_recovery() as standby,
        current_setting('transaction_read_only')::boolean as read_only`,
    );
    if (meetsTarget(this.#target, rows[0]!)) return;
    throw new DatabaseUnavailable(`The server is not ${this.#target}.`, { code: 'WRONG_SERVER' });
  }
}

/** Time for one server to accept a connection: less where another one can be tried. */
const connectTimeoutMs = 4000;
const connectTimeoutOfSeveralMs = 1500;

/** How `pg` is to connect to a server. */
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
    connectionTimeoutMillis: servers.count > 1 ? connectTimeoutOfSeveralMs : connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * Makes the pool of `pg`, whose connections go to the server that is current when they are made and are checked to be
 * of the kind that is wanted.
 */
export function createPgPool(
  servers: Servers,
  options: ClientOptions & { max: number; acquireTimeoutMs: number; queryTimeoutMs?: number },
): PgPool {
  class PoolClient extends Client {
    constructor() {
      super({
        ...clientConfig(servers, options),
        ...(options.queryTimeoutMs && { query_timeout: options.queryTimeoutMs }),
      });
    }
  }
  const config: PoolConfig & { onConnect: (client: ClientBase) => Promise<void> } = {
    Client: PoolClient,
    max: options.max,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 30 * 60,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    onConnect: (client) => servers.verify(client),
  };
  const pool = new PgPool(config);
  // Each connection handles its errors itself; the pool has dropped those that failed while nobody used them.
  pool.on('error', () => {});
  pool.on('connect', () => {});
  return pool;
}

import type pg from 'pg';
import { createPgPool, Servers, type Client } from './client.ts';
import { remainingMs } from './deadline.ts';
import { DatabaseUnavailable, endsConnection, isReadOnly, sqlStateOf } from './errors.ts';
import { Session } from './session.ts';
import { createSql, type Rows, type Sql, type Statement } from './sql.ts';
import { createTx, type Tx } from './transaction.ts';

/** Where statements run, each on any of the pool's connections. */
export interface Pool extends Sql {
  /** Runs the work in a transaction. `options` are those of BEGIN, such as `read only`. */
  begin<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  begin<T>(options: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs a statement that is written already. */
  run(statement: Statement): Promise<Rows>;
  /** Closes the pool; statements under way are given so long, in seconds. */
  end(options?: { timeout?: number }): Promise<void>;
}

export interface PoolOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  max: number;
  /** Longest run of one statement, in milliseconds; 0: no limit. */
  statementTimeout?: number;
  /** More settings of PostgreSQL for its connections. */
  settings?: Record<string, string>;
  /**
   * The URL is of a pooler that gives each transaction another connection: statements are not prepared, and settings
   * are sent with each transaction.
   */
  isPooled?: boolean;
  /** Is told of each failure of a statement or a connection. */
  onError?: (error: unknown) => void;
}

/** A connection that was idle for longer is asked whether it still answers before it is used. */
const idleCheckMs = 5000;
/** How long such a connection, which answers within milliseconds, may take; it is waited for a second more. */
const idleCheckTimeoutMs = 200;
/** Longest wait for a connection, a new one included, where the work has no deadline. */
const acquireTimeoutMs = 10_000;

/** Opens a pool; connections are made when first used. */
export function openPool(where: string | Servers, options: PoolOptions): Pool {
  const servers = typeof where === 'string' ? new Servers(where) : where;
  const pool = new ConnectionPool(servers, options);
  const begin = <T>(first: string | ((tx: Tx) => Promise<T>), second?: (tx: Tx) => Promise<T>) =>
    typeof first === 'string' ? pool.begin(first, second!) : pool.begin('', first);
  const run = (statement: Statement) => pool.execute(statement);
  const end = (how?: { timeout?: number }) => pool.end(how?.timeout);
  return Object.assign(createSql(run), { run, begin, end }) as Pool;
}

class ConnectionPool {
  readonly #servers: Servers;
  readonly #pool: pg.Pool;
  readonly #options: PoolOptions;
  readonly #statementTimeoutMs: number;
  /** Sent with each transaction, where the pooler takes no settings when a session starts. */
  readonly #preamble: string;
  readonly #used = new Set<Client>();

  constructor(servers: Servers, options: PoolOptions) {
    this.#servers = servers;
    this.#options = options;
    const { name, max, statementTimeout = 15_000, isPooled = false } = options;
    this.#statementTimeoutMs = statementTimeout;
    const settings = {
      statement_timeout: String(statementTimeout),
      // Times are compared and shown in UTC whatever the server's own zone.
      TimeZone: 'UTC',
      idle_in_transaction_session_timeout: '30000',
      ...options.settings,
    };
    this.#preamble = isPooled
      ? Object.entries(settings)
          .map(([setting, value]) => `; set local ${setting} = '${value}'`)
          .join('')
      : '';
    this.#pool = createPgPool(servers, {
      applicationName: `petitions ${name}`,
      settings: isPooled ? {} : settings,
      max,
      acquireTimeoutMs,
    });
  }

  async execute(statement: Statement): Promise<Rows> {
    if (this.#preamble) {
      return this.begin('', (tx) => tx.run(statement));
    }
    try {
      return await this.#withSession((session) => session.run(statement));
    } catch (error) {
      if (!isOfAnOldPlan(error)) throw error;
      // The connection that holds the plan is closed; nothing was done yet.
      return this.#withSession((session) => session.run(statement));
    }
  }

  begin<T>(options: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#withSession(async (session) => {
      const { tx, end } = createTx(session);
      await session.command(`begin ${options}${this.#preamble}`);
      let result: T;
      try {
        result = await work(tx);
      } catch (error) {
        await end('rollback').catch(() => {});
        throw error;
      }
      await end('commit');
      return result;
    });
  }

  async end(timeoutSeconds = Infinity): Promise<void> {
    const ended = this.#pool.end();
    if (timeoutSeconds === Infinity) return ended;
    const closing = new DatabaseUnavailable('The pool is closed.', { code: 'POOL_CLOSED' });
    const timer = setTimeout(() => {
      for (const client of this.#used) client.destroy(closing);
    }, timeoutSeconds * 1000);
    await ended.finally(() => clearTimeout(timer));
  }

  async #withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let client: pg.PoolClient & Client;
    try {
      client = await this.#acquire();
    } catch (error) {
      this.#options.onError?.(error);
      throw error;
    }
    this.#used.add(client);
    const session = new Session(client, {
      statementTimeoutMs: this.#statementTimeoutMs,
      isPrepared: !this.#options.isPooled,
    });
    let failure: unknown;
    try {
      return await work(session);
    } catch (error) {
      failure = error;
      this.#options.onError?.(error);
      throw error;
    } finally {
      this.#used.delete(client);
      this.#release(client, session.failure ?? failure);
    }
  }

  #release(client: pg.PoolClient & Client, failure: unknown): void {
    const isBroken = client.isLost || endsConnection(failure) || isOfAnOldPlan(failure);
    if (!isBroken) {
      client.release();
      return;
    }
    const lost = new DatabaseUnavailable('The connection was lost.', { code: 'CONNECTION_LOST' });
    client.destroy(lost);
    client.release(lost);
    // Where one does not answer, or its server is no longer the primary, the others are no better.
    const didNotAnswer = client.lost instanceof DatabaseUnavailable && client.lost !== lost;
    if (didNotAnswer || isReadOnly(failure)) this.#servers.replaceConnections();
  }

  /** @throws {DatabaseUnavailable} where none is to be had in time */
  async #acquire(): Promise<pg.PoolClient & Client> {
    for (;;) {
      const client = await this.#connect();
      const isCurrent = client.generation === this.#servers.generation;
      if (isCurrent && !client.isLost) {
        if (performance.now() - client.lastAnswerMs < idleCheckMs) return client;
        if (await answers(client)) return client;
        this.#servers.replaceConnections();
      }
      const old = new DatabaseUnavailable('The connection was replaced.', { code: 'REPLACED' });
      client.destroy(old);
      client.release(old);
    }
  }

  async #connect(): Promise<pg.PoolClient & Client> {
    const leftMs = remainingMs();
    if (leftMs <= 0) throw tooLate();
    const connecting = this.#pool.connect() as Promise<pg.PoolClient & Client>;
    if (leftMs === Infinity) return connecting.catch(unavailable);
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      connecting.then((client) => client.release()).catch(() => {});
      deadline.reject(tooLate());
    }, leftMs);
    try {
      return await Promise.race([connecting, deadline.promise]);
    } catch (error) {
      return unavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

const tooLate = () =>
  new DatabaseUnavailable('No connection was free before the deadline.', { code: 'DEADLINE' });

/** Names the error of a connection that could not be made; what the server itself reports stays as it is. */
function unavailable(error: unknown): never {
  if (error instanceof DatabaseUnavailable || sqlStateOf(error) !== undefined) throw error;
  const { code = 'CONNECT_TIMEOUT', message } = error as NodeJS.ErrnoException;
  throw new DatabaseUnavailable(message || 'No connection could be made.', { code, cause: error });
}

/** Whether an idle connection still answers. */
async function answers(client: Client): Promise<boolean> {
  const session = new Session(client, {
    statementTimeoutMs: idleCheckTimeoutMs,
    isPrepared: false,
  });
  return session.command('select 1').then(
    () => true,
    () => false,
  );
}

/** Whether a prepared statement returns other columns than when it was prepared, since a migration changed them. */
const isOfAnOldPlan = (error: unknown): boolean =>
  (error as { routine?: unknown } | undefined)?.routine === 'RevalidateCachedQuery';

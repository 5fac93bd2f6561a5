import type pg from 'pg';
import { createPgPool, Servers, type Client } from './client.ts';
import { remainingMs, withDeadline } from './deadline.ts';
import { DatabaseUnavailable, mustCloseConnection, isReadOnly, sqlStateOf } from './errors.ts';
import { Session } from './session.ts';
import { Slots } from './slots.ts';
import { createSql, type Rows, type Sql, type Statement } from './sql.ts';
import { createTx, type Tx } from './transaction.ts';

/** Runs each statement on any of its connections. */
export interface Pool extends Sql {
  /** Runs the work in a transaction. `options` are options of BEGIN: `read only`. */
  begin<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  begin<T>(options: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs a complete statement. */
  run(statement: Statement): Promise<Rows>;
  /** Closes the pool. Running statements have `timeout` seconds to finish; default: no limit. */
  end(options?: { timeout?: number }): Promise<void>;
}

export interface PoolOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  max: number;
  /**
   * Connections that work without a deadline takes at the same time; default: all. The others are left to requests: such
   * work waits for a silent server for as long as its statements may take.
   */
  maxWithoutDeadline?: number;
  /** 0: no limit; default: 15 s. */
  statementTimeoutMs?: number;
  /** Additional PostgreSQL settings of its connections. */
  settings?: Record<string, string>;
  /**
   * Whether the URL is the address of a pooler in transaction mode: statements are then not prepared, and settings
   * are sent with each transaction.
   */
  isPooled?: boolean;
  /** Called with each error of a statement or connection. */
  onError?: (error: unknown) => void;
}

/** A connection that was idle for longer is checked before use. */
const idleCheckMs = 5000;
/** Timeout of the check of an idle connection, which normally takes a millisecond. */
const idleCheckTimeoutMs = 500;
/** Longest wait for a connection, including connecting, for work without a deadline; and before it for a slot. */
const acquireTimeoutMs = 10_000;

/** Opens a pool. It connects on first use. */
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
  /** Settings sent with each transaction, for poolers that take none at the start of a session. */
  readonly #preamble: string;
  readonly #used = new Set<Client>();
  /** Taken by work without a deadline, where that is limited. */
  readonly #slots: Slots | undefined;
  /** Of the connections that the slots count. */
  #slotsGeneration: number;

  constructor(servers: Servers, options: PoolOptions) {
    this.#servers = servers;
    this.#options = options;
    const { name, max, statementTimeoutMs = 15_000, isPooled = false } = options;
    this.#statementTimeoutMs = statementTimeoutMs;
    const { maxWithoutDeadline } = options;
    this.#slots = maxWithoutDeadline === undefined ? undefined : new Slots(maxWithoutDeadline);
    this.#slotsGeneration = servers.generation;
    const settings = {
      statement_timeout: String(statementTimeoutMs),
      // Independent of the server's time zone.
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
      if (!isOutdatedPlan(error)) throw error;
      // The statement did nothing, and the connection that holds the plan is closed.
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
    this.#renewSlots();
    if (!this.#slots || remainingMs() !== Infinity) return this.#inSession(work);
    let giveBack: () => void;
    try {
      giveBack = await this.#slots.take(acquireTimeoutMs);
    } catch (error) {
      this.#options.onError?.(error);
      throw error;
    }
    return this.#inSession(work).finally(giveBack);
  }

  /** Work on connections that will be replaced holds no slot: these do not count towards any limit. */
  #renewSlots(): void {
    if (this.#slotsGeneration === this.#servers.generation) return;
    this.#slotsGeneration = this.#servers.generation;
    this.#slots?.freeAll();
  }

  async #inSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
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
    const isBroken = client.isLost || mustCloseConnection(failure) || isOutdatedPlan(failure);
    if (!isBroken) {
      client.release();
      return;
    }
    const lost = new DatabaseUnavailable('The connection was lost.', { code: 'CONNECTION_LOST' });
    client.destroy(lost);
    client.release(lost);
    // What holds for one connection may hold for the others. A server that is no longer the primary holds for all; a
    // statement without an answer can also have been slow.
    const didNotAnswer = client.lost instanceof DatabaseUnavailable && client.lost !== lost;
    if (isReadOnly(failure)) this.#servers.replaceConnections();
    else if (didNotAnswer) this.#servers.suspectConnections();
  }

  /** @throws {DatabaseUnavailable} if no connection is free in time */
  async #acquire(): Promise<pg.PoolClient & Client> {
    for (;;) {
      const client = await this.#connect();
      const isCurrent = client.generation === this.#servers.generation;
      if (isCurrent && !client.isLost) {
        const isRecent = performance.now() - client.lastAnswerMs < idleCheckMs;
        if (isRecent && !this.#servers.isSuspect(client)) return client;
        if (await isResponsive(client)) return client;
        // The others are not checked one by one, since each check would take its whole time. A check that ended with the
        // deadline of the request proves nothing.
        if (remainingMs() > 0) this.#servers.replaceConnections();
      }
      const old = new DatabaseUnavailable('The connection was replaced.', { code: 'REPLACED' });
      client.destroy(old);
      client.release(old);
    }
  }

  /**
   * Connections in use that will be replaced. They do not count towards the limit: if they fell silent, their requests
   * wait for seconds, and later ones would wait behind these.
   */
  #countOutdated(): number {
    let count = 0;
    for (const { generation } of this.#used)
      if (generation !== this.#servers.generation) count += 1;
    return Math.min(count, this.#options.max);
  }

  async #connect(): Promise<pg.PoolClient & Client> {
    const waitMs = remainingMs();
    if (waitMs <= 0) throw deadlineExceeded();
    this.#pool.options.max = this.#options.max + this.#countOutdated();
    const connecting = this.#pool.connect() as Promise<pg.PoolClient & Client>;
    if (waitMs === Infinity) return connecting.catch(throwUnavailable);
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      connecting.then((client) => client.release()).catch(() => {});
      deadline.reject(deadlineExceeded());
    }, waitMs);
    try {
      return await Promise.race([connecting, deadline.promise]);
    } catch (error) {
      return throwUnavailable(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

const deadlineExceeded = () =>
  new DatabaseUnavailable('No connection was free before the deadline.', { code: 'DEADLINE' });

/** Wraps an error of connecting. Errors that the server reports stay as they are. */
function throwUnavailable(error: unknown): never {
  if (error instanceof DatabaseUnavailable || sqlStateOf(error) !== undefined) throw error;
  const { code = 'CONNECT_TIMEOUT', message } = error as NodeJS.ErrnoException;
  throw new DatabaseUnavailable(message || 'No connection could be made.', { code, cause: error });
}

/** Whether an idle connection still answers. */
function isResponsive(client: Client): Promise<boolean> {
  const session = new Session(client, { statementTimeoutMs: Infinity, isPrepared: false });
  return withDeadline(idleCheckTimeoutMs, () => session.command('select 1')).then(
    () => true,
    () => false,
  );
}

/** Whether a migration changed the columns of a prepared statement. */
const isOutdatedPlan = (error: unknown): boolean =>
  (error as { routine?: unknown } | undefined)?.routine === 'RevalidateCachedQuery';

import type { Logger } from 'pino';
import { Servers } from './client.ts';
import { withDeadline } from './deadline.ts';
import { isConnectionError, isTimeout } from './errors.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';
import { createSql, type Statement } from './sql.ts';
import type { Tx } from './transaction.ts';

/** How often the replica is asked whether it answers, and how long that may take. */
const checkIntervalMs = 500;
const checkTimeoutMs = 750;

/**
 * Watches the replica, and has reads go to the primary while it does not answer. Reads that wait for a replica which
 * stops answering are given up after about a second and run on the primary.
 */
export class Replica {
  readonly #servers: Servers;
  readonly #log: Logger;
  readonly #monitor: Pool;
  #timer: NodeJS.Timeout | undefined;
  #isUp = true;
  #isClosed = false;
  /** One for each read that waits for the replica; called when it goes down. */
  readonly #giveUp = new Set<() => void>();

  constructor(url: string, log: Logger, options: Pick<PoolOptions, 'isPooled'> = {}) {
    this.#servers = new Servers(url);
    this.#log = log;
    this.#monitor = openPool(this.#servers, { ...options, name: 'replica-monitor', max: 1 });
    this.#schedule();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** A pool for reads alone: of the replica while it answers, else the pool of the primary that is given. */
  openPool(primary: Pool, options: PoolOptions): Pool {
    const replica = openPool(this.#servers, options);
    const run = (statement: Statement) => this.#read(primary, replica, (db) => db.run(statement));
    const begin = (first: string | Work, second?: Work) =>
      this.#read(primary, replica, (db) =>
        typeof first === 'string' ? db.begin(first, second!) : db.begin(first),
      );
    const end = (how?: { timeout?: number }) => replica.end(how);
    return Object.assign(createSql(run), { run, begin, end }) as Pool;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isClosed = true;
    await this.#monitor.end({ timeout: 0 });
  }

  /** @throws what the statement fails with on the primary, or on the replica unless that is away */
  async #read<T>(primary: Pool, replica: Pool, work: (db: Pool) => Promise<T>): Promise<T> {
    if (!this.#isUp) return work(primary);
    const down = Promise.withResolvers<undefined>();
    const giveUp = () => down.resolve(undefined);
    this.#giveUp.add(giveUp);
    const reading = work(replica);
    // What becomes of it once the replica is down concerns no caller.
    reading.catch(() => {});
    try {
      const given = await Promise.race([reading.then((value) => ({ value })), down.promise]);
      if (given) return given.value;
    } catch (error) {
      // What runs for too long there does so here.
      if (!isConnectionError(error) || isTimeout(error)) throw error;
    } finally {
      this.#giveUp.delete(giveUp);
    }
    return work(primary);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#check(), checkIntervalMs).unref();
  }

  async #check(): Promise<void> {
    try {
      await withDeadline(checkTimeoutMs, () => this.#monitor`select 1`);
      this.#markUp();
    } catch (error) {
      this.#markDown(error);
    }
    if (!this.#isClosed) this.#schedule();
  }

  #markUp(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#log.warn('the replica answers again: reads go to it');
  }

  #markDown(error: unknown): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#servers.replaceConnections();
    for (const giveUp of this.#giveUp) giveUp();
    if (!this.#isClosed) {
      this.#log.warn({ err: error }, 'the replica does not answer: reads go to the primary');
    }
  }
}

type Work = (tx: Tx) => Promise<unknown>;

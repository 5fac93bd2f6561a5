import type { Logger } from 'pino';
import { Servers } from './client.ts';
import { withDeadline } from './deadline.ts';
import { isDatabaseUnavailable, isTimeout } from './errors.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';
import { createSql, type Statement } from './sql.ts';
import type { Tx } from './transaction.ts';

/** Interval and timeout of checks of the replica. */
const checkIntervalMs = 500;
const checkTimeoutMs = 750;

/**
 * Monitors the replica, and sends reads to the primary while it does not answer. A read that waits for a replica that
 * stops answering is abandoned after about a second and repeated on the primary.
 */
export class Replica {
  readonly #servers: Servers;
  readonly #log: Logger;
  readonly #monitor: Pool;
  #timer: NodeJS.Timeout | undefined;
  #isUp = true;
  #isClosed = false;
  /** Abandons a read that waits for the replica; called when it goes down. */
  readonly #abandonReads = new Set<() => void>();

  constructor(url: string, log: Logger, options: Pick<PoolOptions, 'isPooled'> = {}) {
    this.#servers = new Servers(url);
    this.#log = log;
    this.#monitor = openPool(this.#servers, { ...options, name: 'replica-monitor', max: 1 });
    this.#schedule();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Opens a pool for reads: on the replica while it answers, otherwise on the given pool of the primary. */
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

  /** @throws the error of the work on the primary, or on the replica unless that is unavailable */
  async #read<T>(primary: Pool, replica: Pool, work: (db: Pool) => Promise<T>): Promise<T> {
    if (!this.#isUp) return work(primary);
    const down = Promise.withResolvers<undefined>();
    const abandon = () => down.resolve(undefined);
    this.#abandonReads.add(abandon);
    const reading = work(replica);
    // After the replica goes down, the outcome does not matter.
    reading.catch(() => {});
    try {
      const given = await Promise.race([reading.then((value) => ({ value })), down.promise]);
      if (given) return given.value;
    } catch (error) {
      // A statement that is too slow on the replica is too slow on the primary.
      if (!isDatabaseUnavailable(error) || isTimeout(error)) throw error;
    } finally {
      this.#abandonReads.delete(abandon);
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
    for (const abandon of this.#abandonReads) abandon();
    if (!this.#isClosed) {
      this.#log.warn({ err: error }, 'the replica does not answer: reads go to the primary');
    }
  }
}

type Work = (tx: Tx) => Promise<unknown>;

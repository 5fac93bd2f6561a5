import { Counter, type Registry } from 'prom-client';
import type { Logger } from 'pino';
import { WakeSignal, type EventNotifier } from './event-notifier.ts';
import { transaction, type Db, type Pool, type Tx } from './db.ts';
import { readEvents, type EventType, type LoggedEvent, type LogPosition } from './events.ts';
import { sleepAfterFailures } from './backoff.ts';
import { registerDatabaseGauge } from './gauges.ts';

/**
 * Reacts to events. A follower gets each event exactly once and in the order of the log, in a transaction that also
 * stores its position: what it stores in that transaction is stored once, even if processes die. Slow work belongs in
 * jobs.
 */
export interface EventFollower {
  /** Key of its stored position; must never change. */
  name: string;
  types: readonly EventType[];
  /** Events within this time are handled together; default: 25. */
  coalesceMs?: number;
  /** Maximum number of events in one transaction; default: 500. */
  batchSize?: number;
  handleEvents(tx: Tx, events: LoggedEvent[]): Promise<void>;
}

interface FollowersOptions {
  db: Pool;
  eventNotifier: EventNotifier;
  followers: EventFollower[];
  log: Logger;
  metrics: Registry;
}

const defaultBatchSize = 500;
/** Notifications within this time lead to one poll. */
const defaultCoalesceMs = 25;
/** Followers also poll, since a notification can be lost. */
const pollIntervalMs = 1000;

/** Runs the followers. At any time, one process serves each follower. */
export class Followers {
  #options: FollowersOptions;
  #wakeSignals: WakeSignal[] = [];
  #running: Promise<void>[] = [];
  #stopping = new AbortController();
  #failures: Counter;

  constructor(options: FollowersOptions) {
    this.#options = options;
    const { metrics, db } = options;
    this.#failures = new Counter({
      name: 'event_follower_failures_total',
      help: 'Times that a follower of events failed and began again',
      labelNames: ['follower'],
      registers: [metrics],
    });
    registerDatabaseGauge(metrics, {
      name: 'event_follower_lag_seconds',
      help: 'Age of the oldest event that a follower has not seen',
      label: 'follower',
      read: () => readFollowerLags(db),
      valueOf: ({ name, seconds }) => ({ label: name, value: seconds }),
    });
  }

  async start(): Promise<void> {
    const { db, eventNotifier, followers } = this.#options;
    for (const { name } of followers) {
      await registerFollower(db, name);
    }
    for (const follower of followers) {
      const wakeSignal = new WakeSignal(eventNotifier, follower.coalesceMs ?? defaultCoalesceMs);
      this.#wakeSignals.push(wakeSignal);
      this.#running.push(this.#run(follower, wakeSignal));
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const wakeSignal of this.#wakeSignals) wakeSignal.stop();
    await Promise.all(this.#running);
  }

  async #run(follower: EventFollower, wakeSignal: WakeSignal): Promise<void> {
    const { log, eventNotifier } = this.#options;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const { handled, hasMore } = await this.#step(follower);
        failures = 0;
        // Other followers may wait for its results.
        if (handled > 0) eventNotifier.notify();
        if (!hasMore) await wakeSignal.wait(pollIntervalMs);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        failures += 1;
        this.#failures.inc({ follower: follower.name });
        log.error({ err: error, follower: follower.name }, 'a follower of events failed');
        // Notifications do not end this wait; otherwise each request would cause a retry.
        await sleepAfterFailures(failures, this.#stopping.signal);
      }
    }
  }

  /** Handles one batch. Returns how many events the follower handled, and whether there are more of any type. */
  #step(follower: EventFollower): Promise<{ handled: number; hasMore: boolean }> {
    const { batchSize = defaultBatchSize } = follower;
    return transaction(this.#options.db, async (tx) => {
      const position = await claimPosition(tx, follower.name);
      if (!position) return { handled: 0, hasMore: false };
      const events = await readEvents(tx, position, batchSize);
      const last = events.at(-1);
      if (!last) return { handled: 0, hasMore: false };
      const matching = events.filter(({ type }) => follower.types.includes(type));
      if (matching.length > 0) await follower.handleEvents(tx, matching);
      await storePosition(tx, follower.name, last);
      return { handled: matching.length, hasMore: events.length === batchSize };
    });
  }
}

/** Registers a follower, unless it is known. A new one starts with the transactions that are now in progress. */
export async function registerFollower(db: Db, name: string): Promise<void> {
  await db`
    insert into event_followers (name, transaction, position)
    values (${name}, pg_snapshot_xmin(pg_current_snapshot()), 0)
    on conflict (name) do nothing`;
}

/** Locks and returns the position of a follower; undefined while another process serves it. */
export const claimPosition = (tx: Tx, name: string): Promise<LogPosition | undefined> =>
  tx.first<LogPosition>`
    select transaction::text, position::text from event_followers
    where name = ${name}
    for update skip locked`;

/** Stores up to which event a follower has come. The caller has claimed its position. */
export async function storePosition(
  tx: Tx,
  name: string,
  { transaction: transactionId, position }: LogPosition,
): Promise<void> {
  await tx`
    update event_followers set transaction = ${transactionId}::xid8, position = ${position},
      updated_at = now()
    where name = ${name}`;
}

/** Stops a follower until the transaction ends. */
export async function lockFollower(tx: Tx, name: string): Promise<void> {
  await registerFollower(tx, name);
  await tx`select from event_followers where name = ${name} for update`;
}

/** Reads the age in seconds of the oldest event that each follower has not seen. */
export async function readFollowerLags(db: Db): Promise<{ name: string; seconds: number }[]> {
  return db<{ name: string; seconds: number }[]>`
    select f.name, coalesce(extract(epoch from now() - next.created_at), 0)::float8 as seconds
    from event_followers f
    left join lateral (
      select created_at from events e
      where (e.transaction, e.position) > (f.transaction, f.position)
      order by e.transaction, e.position
      limit 1
    ) next on true`;
}

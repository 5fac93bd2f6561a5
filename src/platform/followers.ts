import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from 'pino';
import { WakeSignal, type EventNotifier } from './event-notifier.ts';
import { transaction, type Db, type Pool, type Tx } from './db.ts';
import { readEvents, type EventType, type LoggedEvent } from './events.ts';
import { backOff } from './backoff.ts';

/**
 * Who reacts to what happened. Each event reaches a follower exactly once, in the order of the log,
 * in a transaction that also keeps the place it has come to: what it stores there is stored once,
 * whatever process dies. What takes long it hands to jobs.
 */
export interface EventFollower {
  /** Under which its place in the log is kept; never changed. */
  name: string;
  types: readonly EventType[];
  /** Within so many milliseconds what happens is taken together, where it need not be followed at once. */
  gatherMilliseconds?: number;
  /** Events that one transaction takes at most. */
  batchSize?: number;
  follow(tx: Tx, events: LoggedEvent[]): Promise<void>;
}

interface FollowersOptions {
  db: Pool;
  eventNotifier: EventNotifier;
  followers: EventFollower[];
  log: Logger;
  metrics: Registry;
}

/** Events that one transaction takes, unless a follower takes more. */
const usualBatchSize = 500;
/** Notifications within this time lead to one poll, in milliseconds. */
const gatherMilliseconds = 25;
/** Polls this often, since a notification can be lost. */
const lookMilliseconds = 1000;

/** Runs the followers. Of several processes, one at a time serves each follower. */
export class Followers {
  #options: FollowersOptions;
  #waiters: WakeSignal[] = [];
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
    const lag = new Gauge({
      name: 'event_follower_lag_seconds',
      help: 'Age of the oldest event that a follower has not seen',
      labelNames: ['follower'],
      registers: [metrics],
      collect: async () => {
        for (const { name, seconds } of await lags(db)) lag.set({ follower: name }, seconds);
      },
    });
  }

  async start(): Promise<void> {
    const { db, eventNotifier, followers } = this.#options;
    for (const { name } of followers) {
      // A new one begins with what is under way now.
      await db`
        insert into event_followers (name, transaction, position)
        values (${name}, pg_snapshot_xmin(pg_current_snapshot()), 0)
        on conflict (name) do nothing`;
    }
    for (const follower of followers) {
      const waiter = new WakeSignal(
        eventNotifier,
        follower.gatherMilliseconds ?? gatherMilliseconds,
      );
      this.#waiters.push(waiter);
      this.#running.push(this.#run(follower, waiter));
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const waiter of this.#waiters) waiter.stop();
    await Promise.all(this.#running);
  }

  async #run(follower: EventFollower, waiter: WakeSignal): Promise<void> {
    const { log, eventNotifier } = this.#options;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const { seen, more } = await this.#step(follower);
        failures = 0;
        // Others may wait for what it has done.
        if (seen > 0) eventNotifier.notify();
        if (!more) await waiter.wait(lookMilliseconds);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        failures += 1;
        this.#failures.inc({ follower: follower.name });
        log.error({ err: error, follower: follower.name }, 'a follower of events failed');
        // Notifications do not end this wait, or it would be tried again with each request.
        await backOff(failures, this.#stopping.signal);
      }
    }
  }

  /** One batch: how many events concerned the follower, and whether there are more of any kind. */
  #step(follower: EventFollower): Promise<{ seen: number; more: boolean }> {
    const { batchSize = usualBatchSize } = follower;
    return transaction(this.#options.db, async (tx) => {
      const [place] = await tx<{ transaction: string; position: string }[]>`
        select transaction::text, position::text from event_followers
        where name = ${follower.name}
        for update skip locked`;
      // Another process is at it.
      if (!place) return { seen: 0, more: false };
      const events = await readEvents(tx, place, batchSize);
      const last = events.at(-1);
      if (!last) return { seen: 0, more: false };
      const concerning = events.filter(({ type }) => follower.types.includes(type));
      if (concerning.length > 0) await follower.follow(tx, concerning);
      await tx`
        update event_followers set transaction = ${last.transaction}::xid8,
          position = ${last.position}, updated_at = now()
        where name = ${follower.name}`;
      return { seen: concerning.length, more: events.length === batchSize };
    });
  }
}

/** How old the oldest event is that each follower has not seen, in seconds. */
export async function lags(db: Db): Promise<{ name: string; seconds: number }[]> {
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

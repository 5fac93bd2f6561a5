import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Pool } from './db.ts';
import { Listener } from './db/listener.ts';

const channel = 'events';
/** Coalesces notifications to other processes sent within this time. */
const coalesceMs = 20;

/**
 * Wakes subscribers in every process after events were stored.
 *
 * Call `notify` after the transaction commits: NOTIFY inside it serialises all commits on one lock. A notification
 * can be lost with its process, so subscribers also poll.
 */
export class EventNotifier {
  readonly #databaseUrl: string;
  readonly #db: Pool;
  readonly #log: Logger;
  readonly #subscribers = new Set<() => void>();
  /** Distinguishes notifications of this process from those of others. */
  readonly #processId = String(Math.random());
  #pending: NodeJS.Timeout | undefined;
  #listener: Listener | undefined;

  /** `databaseUrl` is the address of PostgreSQL itself, since LISTEN does not work through a pooler. */
  constructor(databaseUrl: string, db: Pool, log: Logger) {
    this.#databaseUrl = databaseUrl;
    this.#db = db;
    this.#log = log;
  }

  notify(): void {
    this.#wakeSubscribers();
    this.#pending ??= globalThis
      .setTimeout(() => {
        this.#pending = undefined;
        const db = this.#db;
        db`select pg_notify(${channel}, ${this.#processId})`.catch((error: unknown) =>
          this.#log.debug({ err: error }, 'other processes were not notified of events'),
        );
      }, coalesceMs)
      .unref();
  }

  /** Calls the function at every notification. Returns a function that unsubscribes it. */
  subscribe(onNotify: () => void): () => void {
    this.#subscribers.add(onNotify);
    this.#listener ??= this.#listen();
    return () => void this.#subscribers.delete(onNotify);
  }

  async close(): Promise<void> {
    clearTimeout(this.#pending);
    this.#subscribers.clear();
    await this.#listener?.close();
  }

  #listen(): Listener {
    return new Listener({
      url: this.#databaseUrl,
      channel,
      log: this.#log,
      onMessage: (sender) => {
        if (sender !== this.#processId) this.#wakeSubscribers();
      },
    });
  }

  #wakeSubscribers(): void {
    for (const onNotify of this.#subscribers) onNotify();
  }
}

/** Waits for notifications. One that arrives while nothing waits ends the next wait. */
export class WakeSignal {
  readonly #minWaitMs: number;
  readonly #unsubscribe: () => void;
  readonly #stopped = new AbortController();
  #isSignalled = false;
  #endWait: (() => void) | undefined;

  /** A wait that a notification ends lasts at least `minWaitMs`, so that many lead to one poll. */
  constructor(notifier: EventNotifier, minWaitMs: number) {
    this.#minWaitMs = minWaitMs;
    this.#unsubscribe = notifier.subscribe(() => this.wake());
  }

  /** Waits for a notification, at most `timeoutMs`; not at all once it was stopped. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSignalled) await this.#signalWithin(timeoutMs);
    if (this.#isSignalled) await this.#waitToCoalesce();
    this.#isSignalled = false;
  }

  /** Ends the current wait at once, and unsubscribes. */
  stop(): void {
    this.#unsubscribe();
    this.#stopped.abort();
    this.wake();
  }

  /** Ends the wait of this instance alone. */
  wake(): void {
    this.#isSignalled = true;
    this.#endWait?.();
  }

  async #waitToCoalesce(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await setTimeout(this.#minWaitMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #signalWithin(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = globalThis.setTimeout(resolve, timeoutMs);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

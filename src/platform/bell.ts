import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Pool } from './db.ts';
import { Listener } from './db/listener.ts';

const channel = 'events';
/** Rings of this process within this time reach the others as one, in milliseconds. */
const gatherMilliseconds = 20;

/**
 * Tells those who wait for events, in every process of the service, that there may be new ones. It is
 * rung after each request or job that may have written something, outside its transaction: a NOTIFY
 * inside would make all commits queue for one lock. A ring can get lost with its process, so whoever
 * waits also looks by itself now and then.
 */
export class Bell {
  #databaseUrl: string;
  #db: Pool;
  #log: Logger;
  #listeners = new Set<() => void>();
  #gathering: NodeJS.Timeout | undefined;
  #listener: Listener | undefined;
  /** Tells rings of this process from those of others. */
  #self = String(Math.random());

  constructor(databaseUrl: string, db: Pool, log: Logger) {
    this.#databaseUrl = databaseUrl;
    this.#db = db;
    this.#log = log;
  }

  ring(): void {
    for (const listener of this.#listeners) listener();
    this.#gathering ??= globalThis
      .setTimeout(() => {
        this.#gathering = undefined;
        const db = this.#db;
        db`select pg_notify(${channel}, ${this.#self})`.catch((error: unknown) =>
          this.#log.debug({ err: error }, 'other processes were not told of events'),
        );
      }, gatherMilliseconds)
      .unref();
  }

  /** Calls the listener at every ring, until the function that is given back is called. */
  onRing(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#listener ??= this.#listen();
    return () => void this.#listeners.delete(listener);
  }

  #listen(): Listener {
    return new Listener({
      url: this.#databaseUrl,
      channel,
      log: this.#log,
      onMessage: (from) => {
        if (from === this.#self) return;
        for (const listener of this.#listeners) listener();
      },
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#gathering);
    this.#listeners.clear();
    await this.#listener?.close();
  }
}

/** Waits for the bell, or at most so long. A ring while nobody waits ends the next wait. */
export class BellWaiter {
  #gather: number;
  #rung = false;
  #wake: (() => void) | undefined;
  #stopListening: () => void;

  /** Waits last at least `gather` milliseconds, so that many rings lead to one look. */
  constructor(bell: Bell, gather: number) {
    this.#gather = gather;
    this.#stopListening = bell.onRing(() => this.ring());
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.#rung) await this.#ringWithin(milliseconds);
    if (this.#rung) await setTimeout(this.#gather);
    this.#rung = false;
  }

  /** Ends the wait under way, and listens no more. */
  stop(): void {
    this.#stopListening();
    this.ring();
  }

  #ringWithin(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = globalThis.setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Wakes whoever waits here, and nobody else. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }
}

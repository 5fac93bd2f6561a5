import { WakeSignal } from '../../platform/event-notifier.ts';
import type { Context } from '../../platform/context.ts';
import { resumeId } from './outbox.ts';
import { endOfLog, readEvents, type LogPosition, type LoggedEvent } from '../../platform/events.ts';

/** Events read at once. */
const batchSize = 1000;
/** Notifications within this time lead to one poll, in milliseconds. */
const gatherMilliseconds = 25;
/** Looks by itself this often, should a ring be lost. */
const lookMilliseconds = 1000;

/** Gives every event that is told from its start on to one taker, in the order of the log. */
export class Feed {
  #ctx: Context;
  #take: (event: LoggedEvent) => void;
  #started: Promise<void> | undefined;
  #waiter: WakeSignal | undefined;
  #position: LogPosition | undefined;
  #running: Promise<void> | undefined;

  constructor(ctx: Context, take: (event: LoggedEvent) => void) {
    this.#ctx = ctx;
    this.#take = take;
  }

  /** The place in the log that it has come to, as watchers resume from it. */
  get id(): string {
    return resumeId(this.#position!);
  }

  /** Once this is settled, nothing that is committed later is missed. */
  start(): Promise<void> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  async #begin(): Promise<void> {
    this.#position = await endOfLog(this.#ctx.pools.main);
    this.#waiter = new WakeSignal(this.#ctx.eventNotifier, gatherMilliseconds);
    this.#running = this.#run(this.#waiter);
  }

  async stop(): Promise<void> {
    await this.#started?.catch(() => {});
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.stop();
    await this.#running;
  }

  async #run(waiter: WakeSignal): Promise<void> {
    while (this.#waiter) {
      const more = await this.#look().catch((error: unknown) => {
        this.#ctx.log.error({ err: error }, 'events cannot be read for watchers');
        return false;
      });
      if (!more) await waiter.wait(lookMilliseconds);
    }
  }

  async #look(): Promise<boolean> {
    const events = await readEvents(this.#ctx.pools.main, this.#position!, batchSize);
    for (const event of events) {
      this.#take(event);
      this.#position = event;
    }
    return events.length === batchSize;
  }
}

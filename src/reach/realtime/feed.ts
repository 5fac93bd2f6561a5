import { WakeSignal } from '../../platform/event-notifier.ts';
import type { Context } from '../../platform/context.ts';
import { resumeId } from './outbox.ts';
import { endOfLog, readEvents, type LogPosition, type LoggedEvent } from '../../platform/events.ts';

/** Events per read. */
const batchSize = 1000;
/** Notifications within this time lead to one poll. */
const coalesceMs = 25;
/** Polls at least this often, since a notification can be lost. */
const pollIntervalMs = 1000;

/** Passes every event that is logged after its start to one handler, in the order of the log. */
export class Feed {
  #ctx: Context;
  #handle: (event: LoggedEvent) => void;
  #started: Promise<void> | undefined;
  #wakeSignal: WakeSignal | undefined;
  #position: LogPosition | undefined;
  #running: Promise<void> | undefined;

  constructor(ctx: Context, handle: (event: LoggedEvent) => void) {
    this.#ctx = ctx;
    this.#handle = handle;
  }

  /** The resume id of the last event that was handled. */
  get resumeId(): string {
    return resumeId(this.#position!);
  }

  /** After this resolves, no event that commits later is missed. */
  start(): Promise<void> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  async #begin(): Promise<void> {
    this.#position = await endOfLog(this.#ctx.pools.main);
    this.#wakeSignal = new WakeSignal(this.#ctx.eventNotifier, coalesceMs);
    this.#running = this.#run(this.#wakeSignal);
  }

  async stop(): Promise<void> {
    await this.#started?.catch(() => {});
    const wakeSignal = this.#wakeSignal;
    this.#wakeSignal = undefined;
    wakeSignal?.stop();
    await this.#running;
  }

  async #run(wakeSignal: WakeSignal): Promise<void> {
    while (this.#wakeSignal) {
      const hasMore = await this.#poll().catch((error: unknown) => {
        this.#ctx.log.error({ err: error }, 'could not read events for watchers; will retry');
        return false;
      });
      if (!hasMore) await wakeSignal.wait(pollIntervalMs);
    }
  }

  async #poll(): Promise<boolean> {
    const events = await readEvents(this.#ctx.pools.main, this.#position!, batchSize);
    for (const event of events) {
      this.#handle(event);
      this.#position = event;
    }
    return events.length === batchSize;
  }
}

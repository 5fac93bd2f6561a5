import type { Context } from '../../platform/context.ts';
import { storeOutcomes, type Outcome } from './sending-queries.ts';

/** Stores how tries ended. While some are being stored, those that end wait and are stored together. */
export class OutcomeWriter {
  #ctx: Context;
  #waiting: Outcome[] = [];
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Settles once it is stored, or could not be: then the delivery is sent again after its lease. */
  store(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome);
    this.#next ??= this.#last = this.#last.then(() => this.#storeWaiting());
    return this.#next;
  }

  /** All that was given so far is stored. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #storeWaiting(): Promise<void> {
    this.#next = undefined;
    const outcomes = this.#waiting.splice(0);
    try {
      await storeOutcomes(this.#ctx.db, outcomes);
    } catch (error) {
      const { log } = this.#ctx;
      log.error({ err: error, count: outcomes.length }, 'the ends of tries could not be stored');
    }
  }
}

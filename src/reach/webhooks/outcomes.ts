import type { Context } from '../../platform/context.ts';
import { storeOutcomes, type Outcome } from './sending-queries.ts';

/** Stores outcomes of attempts. Those that end during a write are stored together by the next one. */
export class OutcomeWriter {
  #ctx: Context;
  #waiting: Outcome[] = [];
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Resolves after the write, also if it failed: then the delivery is sent again after its lease. */
  store(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome);
    this.#next ??= this.#last = this.#last.then(() => this.#storeWaiting());
    return this.#next;
  }

  /** Resolves after all outcomes so far were written. */
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
      log.error(
        { err: error, count: outcomes.length },
        'could not store outcomes of attempts; will send again',
      );
    }
  }
}

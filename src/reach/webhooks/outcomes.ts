import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { emit, system } from '../../platform/events.ts';
import { noteFailing, storeOutcomes, switchOffDead, type Outcome } from './sending-queries.ts';

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
      await storeAll(this.#ctx, outcomes);
    } catch (error) {
      const { log } = this.#ctx;
      log.error({ err: error, count: outcomes.length }, 'the ends of tries could not be stored');
    }
  }
}

async function storeAll(ctx: Context, outcomes: Outcome[]): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await storeOutcomes(tx, outcomes);
    const dead = await switchOffDead(tx, outcomes);
    await noteFailing(tx, outcomes);
    for (const { id, user_id } of dead) {
      const data = { endpoint_id: id, user_id };
      await emit(tx, { type: 'webhook.disabled', petitionId: null, actor: system, data });
    }
  });
}

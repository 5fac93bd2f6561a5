import { setTimeout as pause } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { WakeSignal } from '../../platform/event-notifier.ts';
import type { Context } from '../../platform/context.ts';
import type { BackgroundWorker } from '../../platform/slice.ts';
import { attempt, prepare, type Attempt } from './attempts.ts';
import { initialLimit, EndpointConcurrency } from './endpoint-concurrency.ts';
import { OutcomeWriter } from './outcomes.ts';
import { failUnsent, release, takeDue, type Outcome } from './sending-queries.ts';

/** Least time between two polls for due deliveries, in milliseconds: notifications can come all the time. */
const leastPause = 5;
/** Polls this often, for retries and since a notification can be lost. */
const lookMilliseconds = 1000;
/** Tries under way are given so long when the process stops. */
const graceMilliseconds = 5000;

/**
 * Sends what is due, in as many processes as run jobs. A delivery is taken for a while; whoever takes it
 * stores how the try ended, and what was taken by a process that died is taken again, by any.
 */
export class Sender implements BackgroundWorker {
  #ctx: Context;
  #concurrency = new EndpointConcurrency();
  #outcomes: OutcomeWriter;
  #waiter: WakeSignal | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #breakOff = new AbortController();
  #tries: Counter;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#outcomes = new OutcomeWriter(ctx);
    this.#tries = new Counter({
      name: 'webhook_tries_total',
      help: 'Tries of webhook deliveries that have ended, by what became of the delivery',
      labelNames: ['status'],
      registers: [ctx.metrics],
    });
  }

  start(): void {
    this.#waiter = new WakeSignal(this.#ctx.eventNotifier, 0);
    this.#running = this.#run(this.#waiter);
  }

  /** Takes no more, and ends or gives back what was taken. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiter?.stop();
    await this.#running;
    const end = Date.now() + graceMilliseconds;
    while (this.#concurrency.underWay > 0) {
      if (Date.now() > end) this.#breakOff.abort();
      await pause(leastPause);
    }
    await this.#outcomes.settled();
  }

  async #run(waiter: WakeSignal): Promise<void> {
    const { config, log } = this.#ctx;
    const longest = Math.min(lookMilliseconds, config.webhookRetryBaseMs);
    while (!this.#stopped) {
      let taken = 0;
      try {
        taken = await this.#takeAndSend();
      } catch (error) {
        log.error({ err: error }, 'due deliveries could not be leased');
      }
      if (taken === 0) await waiter.wait(longest);
      await pause(leastPause);
    }
  }

  /** Begins as many attempts as the limits allow; returns their number. */
  async #takeAndSend(): Promise<number> {
    const { free: limit } = this.#concurrency;
    if (limit === 0) return 0;
    const capacities = this.#concurrency.capacity();
    const taken = await takeDue(this.#ctx.db, { limit, defaultCapacity: initialLimit, capacities });
    if (taken.length === 0) return 0;
    const { attempts, unsent, off } = await prepare(this.#ctx, taken);
    for (const one of attempts) void this.#send(one);
    if (unsent.length > 0) await failUnsent(this.#ctx.db, unsent, off);
    return taken.length;
  }

  async #send(one: Attempt): Promise<void> {
    const { endpoint_id: endpointId, id } = one.delivery;
    const begun = performance.now();
    this.#concurrency.begin(endpointId);
    let took = 0;
    let outcome: Outcome | undefined;
    try {
      outcome = await attempt(this.#ctx, one, this.#breakOff.signal);
      took = performance.now() - begun;
      if (outcome) await this.#store(outcome);
      else await release(this.#ctx.db, [id]);
    } catch (error) {
      this.#ctx.log.error({ err: error, delivery: id }, 'a delivery came to no end');
    }
    this.#concurrency.end(endpointId, outcome?.status === 'delivered', took);
    this.#waiter?.wake();
  }

  #store(outcome: Outcome): Promise<void> {
    this.#tries.inc({ status: outcome.status });
    return this.#outcomes.store(outcome);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { WakeSignal } from '../../platform/event-notifier.ts';
import type { Context } from '../../platform/context.ts';
import type { BackgroundWorker } from '../../platform/slice.ts';
import { attempt, prepare, type Attempt } from './attempts.ts';
import { initialLimit, EndpointConcurrency } from './endpoint-concurrency.ts';
import { OutcomeWriter } from './outcomes.ts';
import { failWithoutAttempt, leaseDue, releaseLease, type Outcome } from './sending-queries.ts';

/** Minimum time between two polls for due deliveries: notifications can come continuously. */
const minPauseMs = 5;
/** Polls at least this often, for retries and since a notification can be lost. */
const pollIntervalMs = 1000;
/** How long running attempts can go on when the process stops. */
const graceMs = 5000;

/**
 * Sends due deliveries, in every process that runs jobs. A delivery is leased for its attempt; if the
 * process dies, any process takes it again after the lease.
 */
export class Sender implements BackgroundWorker {
  #ctx: Context;
  #concurrency = new EndpointConcurrency();
  #outcomes: OutcomeWriter;
  #wakeSignal: WakeSignal | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #abort = new AbortController();
  #attempts: Counter;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#outcomes = new OutcomeWriter(ctx);
    this.#attempts = new Counter({
      name: 'webhook_tries_total',
      help: 'Tries of webhook deliveries that have ended, by what became of the delivery',
      labelNames: ['status'],
      registers: [ctx.metrics],
    });
  }

  start(): void {
    this.#wakeSignal = new WakeSignal(this.#ctx.eventNotifier, 0);
    this.#running = this.#run(this.#wakeSignal);
  }

  /** Stops leasing, and ends running attempts or their leases. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wakeSignal?.stop();
    await this.#running;
    const end = Date.now() + graceMs;
    while (this.#concurrency.running > 0) {
      if (Date.now() > end) this.#abort.abort();
      await pause(minPauseMs);
    }
    await this.#outcomes.settled();
  }

  async #run(wakeSignal: WakeSignal): Promise<void> {
    const { config, log } = this.#ctx;
    const maxWaitMs = Math.min(pollIntervalMs, config.webhookRetryBaseMs);
    while (!this.#isStopped) {
      let leased = 0;
      try {
        leased = await this.#leaseAndSend();
      } catch (error) {
        log.error({ err: error }, 'could not lease due deliveries; will retry');
      }
      if (leased === 0) await wakeSignal.wait(maxWaitMs);
      await pause(minPauseMs);
    }
  }

  /** Begins as many attempts as the limits allow; returns their number. */
  async #leaseAndSend(): Promise<number> {
    const { free: limit } = this.#concurrency;
    if (limit === 0) return 0;
    const capacities = this.#concurrency.capacity();
    const leased = await leaseDue(this.#ctx.db, {
      limit,
      defaultCapacity: initialLimit,
      capacities,
    });
    if (leased.length === 0) return 0;
    const { attempts, unsentIds, disabledEndpointIds } = await prepare(this.#ctx, leased);
    for (const prepared of attempts) void this.#send(prepared);
    if (unsentIds.length > 0) {
      await failWithoutAttempt(this.#ctx.db, unsentIds, disabledEndpointIds);
    }
    return leased.length;
  }

  async #send(prepared: Attempt): Promise<void> {
    const { endpoint_id: endpointId, id } = prepared.delivery;
    const start = performance.now();
    this.#concurrency.begin(endpointId);
    let durationMs = 0;
    let outcome: Outcome | undefined;
    try {
      outcome = await attempt(this.#ctx, prepared, this.#abort.signal);
      durationMs = performance.now() - start;
      if (outcome) {
        this.#attempts.inc({ status: outcome.status });
        await this.#outcomes.store(outcome);
      } else {
        await releaseLease(this.#ctx.db, id);
      }
    } catch (error) {
      this.#ctx.log.error({ err: error, delivery: id }, 'a delivery attempt failed; will retry');
    }
    this.#concurrency.end(endpointId, outcome?.status === 'delivered', durationMs);
    this.#wakeSignal?.wake();
  }
}

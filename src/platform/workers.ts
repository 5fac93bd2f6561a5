import type { Logger } from 'pino';
import { sleepUnlessAborted, sleepAfterFailures } from './backoff.ts';
import type { BackgroundWorker } from './slice.ts';

/**
 * Work that is stored in a table and done in small steps, which processes share by `for update skip locked`. Unlike a
 * job, the step of a killed process is available again as soon as its connection is closed.
 */
export interface SteppedWorkOptions {
  name: string;
  /** Time until the next poll after nothing was left. */
  idleMs: number;
  /** Pauses after each step four times as long as the step took, so that large work does not slow others down. */
  isThrottled?: boolean;
  /** Does one step. Returns whether there may be more. A stop aborts the signal, and waits for the step. */
  step(stopping: AbortSignal): Promise<boolean>;
}

/** Does the work until it is stopped. Finishes the current step. */
export class StepWorker implements BackgroundWorker {
  #work: SteppedWorkOptions;
  #log: Logger;
  #stopping = new AbortController();
  #idle = new AbortController();
  #running: Promise<void> | undefined;

  constructor(work: SteppedWorkOptions, log: Logger) {
    this.#work = work;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the pause after a step that left nothing. */
  wake(): void {
    this.#idle.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, idleMs, isThrottled } = this.#work;
    const signal = this.#stopping.signal;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const startedAt = performance.now();
        this.#idle = new AbortController();
        const hasMore = await this.#work.step(signal);
        failures = 0;
        if (!hasMore)
          await sleepUnlessAborted(idleMs, AbortSignal.any([signal, this.#idle.signal]));
        else if (isThrottled) await sleepUnlessAborted(4 * (performance.now() - startedAt), signal);
      } catch (error) {
        failures += 1;
        this.#log.error({ err: error, worker: name }, 'a worker failed');
        await sleepAfterFailures(failures, signal);
      }
    }
  }
}

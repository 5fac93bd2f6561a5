import type { Logger } from 'pino';
import { sleepUnlessAborted, backOff } from './backoff.ts';
import type { BackgroundWorker } from './slice.ts';

/**
 * Work that waits in a table and is done in small steps, which processes share by `for update skip
 * locked`. Unlike a job, what a killed process had begun is free again as soon as its connection is.
 */
export interface SteppedWork {
  name: string;
  /** How long to wait before looking again where nothing was left. */
  idleMilliseconds: number;
  /** Rests after each step four times as long as that took, so that large work slows nobody down. */
  gentle?: boolean;
  /** Does a piece of the work; whether there may be more. */
  step(): Promise<boolean>;
}

/** Does such work until it is stopped; a step under way is finished. */
export class StepWorker implements BackgroundWorker {
  #work: SteppedWork;
  #log: Logger;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(work: SteppedWork, log: Logger) {
    this.#work = work;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, idleMilliseconds, gentle } = this.#work;
    const stopping = this.#stopping.signal;
    let failures = 0;
    while (!stopping.aborted) {
      try {
        const begun = performance.now();
        const more = await this.#work.step();
        failures = 0;
        if (!more) await sleepUnlessAborted(idleMilliseconds, stopping);
        else if (gentle) await sleepUnlessAborted(4 * (performance.now() - begun), stopping);
      } catch (error) {
        failures += 1;
        this.#log.error({ err: error, worker: name }, 'a worker failed');
        await backOff(failures, stopping);
      }
    }
  }
}

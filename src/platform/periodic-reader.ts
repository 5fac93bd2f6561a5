import type { Logger } from 'pino';
import { withDeadline } from './db.ts';

interface PeriodicReaderOptions {
  log: Logger;
  /** The plural of what is read, for the log. */
  subject: string;
  intervalMs: number;
  /** `afterFailure` is true when the last read in the background failed. */
  read: (afterFailure: boolean) => Promise<void>;
}

const timeoutMs = 2000;

/**
 * Keeps in memory what other processes change, by reading it again and again. Reads follow one another, so that an
 * earlier result does not replace a newer one.
 */
export class PeriodicReader {
  #options: PeriodicReaderOptions;
  #timer: NodeJS.Timeout | undefined;
  /** In a row. */
  #failures = 0;
  #lastRead: Promise<void> = Promise.resolve();

  constructor(options: PeriodicReaderOptions) {
    this.#options = options;
  }

  /** Begins to read in the background. */
  start(): void {
    this.#timer = setTimeout(() => void this.#poll(), this.#options.intervalMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads now, by `read` or by another function, once earlier reads have ended. */
  refresh(read: () => Promise<void> = () => this.#options.read(false)): Promise<void> {
    const reading = this.#lastRead.then(read);
    this.#lastRead = reading.catch(() => undefined);
    return reading;
  }

  async #poll(): Promise<void> {
    try {
      const afterFailure = this.#failures > 0;
      await withDeadline(timeoutMs, () => this.refresh(() => this.#options.read(afterFailure)));
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      // A read of the last moment finds no database.
      if (this.#timer) this.#report(error);
    }
    if (this.#timer) this.start();
  }

  /** One slow answer means nothing: a process that starts on a busy machine can miss its time. Later ones repeat the second. */
  #report(error: unknown): void {
    const { log, subject } = this.#options;
    const level = this.#failures === 2 ? 'error' : 'debug';
    log[level]({ err: error }, `could not read ${subject}; will retry`);
  }
}

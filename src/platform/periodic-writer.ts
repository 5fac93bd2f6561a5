/**
 * Writes again and again what is gathered in memory, and once more as it stops; one writing after the other,
 * so that a process never waits for itself.
 */
export class PeriodicWriter {
  readonly #every: number;
  readonly #write: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `every` is in milliseconds; `write` keeps what it could not write, and does not fail. */
  constructor(every: number, write: () => Promise<void>) {
    this.#every = every;
    this.#write = write;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#next(), this.#every).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#next();
  }

  #next(): Promise<void> {
    this.#last = this.#last.then(this.#write);
    return this.#last;
  }
}

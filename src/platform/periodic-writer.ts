/** Writes collected data at intervals, and once more when it stops. Writes never overlap. */
export class PeriodicWriter {
  readonly #intervalMs: number;
  readonly #write: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `write` must not throw, and must keep data that it could not write. */
  constructor(intervalMs: number, write: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#write = write;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#next(), this.#intervalMs).unref();
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

import { unavailable } from './problems.ts';

interface Options {
  /** Works that wait at most. Further ones are refused. */
  maxWaiting?: number;
  /** What those who are refused read. */
  message?: string;
}

/** Runs at most so many works at the same time. The others wait in order. */
export class ConcurrencyLimit {
  #free: number;
  readonly #maxWaiting: number;
  readonly #message: string;
  readonly #waiting: (() => void)[] = [];

  constructor(
    max: number,
    { maxWaiting = Infinity, message = 'Too many wait. Try again shortly.' }: Options = {},
  ) {
    this.#free = max;
    this.#maxWaiting = maxWaiting;
    this.#message = message;
  }

  /** @throws {Problem} unavailable, if too many wait */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#maxWaiting) {
      throw unavailable(this.#message);
    }
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

import { DatabaseUnavailable } from './errors.ts';

/** A number of slots that work takes and gives back. Who finds none waits for the next, in order. */
export class Slots {
  readonly #count: number;
  #free: number;
  readonly #waiting = new Set<() => void>();
  /** Counts the times that all were freed. */
  #epoch = 0;

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /**
   * Takes a slot. Returns how to give it back.
   * @throws {DatabaseUnavailable} if no slot is free in time
   */
  async take(timeoutMs: number): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(timeoutMs);
    const epoch = this.#epoch;
    return () => {
      if (epoch === this.#epoch) this.#give();
    };
  }

  /** Frees all slots, whoever holds them. */
  freeAll(): void {
    this.#epoch += 1;
    this.#free = 0;
    for (let n = 0; n < this.#count; n += 1) this.#give();
  }

  async #wait(timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve);
      const message = `No connection was free within ${timeoutMs} ms.`;
      reject(new DatabaseUnavailable(message, { code: 'CONNECT_TIMEOUT' }));
    }, timeoutMs);
    await promise.finally(() => clearTimeout(timer));
  }

  #give(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

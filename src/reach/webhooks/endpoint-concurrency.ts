/** Attempts that one process has under way at most. */
const totalLimit = 256;
/** Of these, attempts to endpoints that are slow or failing. */
const slowLimit = totalLimit / 2;
/** Attempts under way to one endpoint at most: at first, and once it has answered quickly. */
export const initialLimit = 4;
const highestLimit = 32;
/** An answer that takes longer is slow. */
const slowMs = 1000;

/** The state of an idle endpoint is kept for so long, and longer where it was slow. */
const keepMs = 60_000;
const keepSlowMs = 30 * 60_000;

interface EndpointState {
  limit: number;
  underWay: number;
  /** When an attempt last ended, by performance.now(). */
  endedAt: number;
}

/** How many deliveries of an endpoint can begin now. */
export interface EndpointCapacity {
  endpointId: string;
  capacity: number;
}

/**
 * Limits the attempts that a process has under way, for each endpoint and in all. The limit of an endpoint doubles with
 * each quick answer and falls to one after a slow or failed one; slow endpoints together have half of all attempts at
 * most.
 */
export class EndpointConcurrency {
  #endpoints = new Map<string, EndpointState>();
  #underWay = 0;
  #slowUnderWay = 0;

  /** Attempts that can begin now. */
  get free(): number {
    return totalLimit - this.#underWay;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** The capacity of every endpoint whose limit is not that of a new one. */
  capacity(): EndpointCapacity[] {
    this.#forgetIdle();
    const slowFull = this.#slowUnderWay >= slowLimit;
    return [...this.#endpoints].map(([endpointId, { limit, underWay }]) => ({
      endpointId,
      capacity: limit === 1 && slowFull ? 0 : Math.max(0, limit - underWay),
    }));
  }

  begin(endpointId: string): void {
    const state = this.#endpoints.get(endpointId) ?? {
      limit: initialLimit,
      underWay: 0,
      endedAt: 0,
    };
    this.#endpoints.set(endpointId, state);
    state.underWay += 1;
    this.#underWay += 1;
    this.#countSlow();
  }

  /** An attempt has ended after so many milliseconds. */
  end(endpointId: string, isDelivered: boolean, durationMs: number): void {
    const state = this.#endpoints.get(endpointId)!;
    state.underWay -= 1;
    state.endedAt = performance.now();
    this.#underWay -= 1;
    state.limit = isDelivered && durationMs < slowMs ? Math.min(state.limit * 2, highestLimit) : 1;
    this.#countSlow();
  }

  #forgetIdle(): void {
    const now = performance.now();
    for (const [endpointId, { limit, underWay, endedAt }] of this.#endpoints) {
      const kept = limit === 1 ? keepSlowMs : keepMs;
      if (underWay === 0 && now - endedAt > kept) this.#endpoints.delete(endpointId);
    }
  }

  #countSlow(): void {
    let slow = 0;
    for (const { limit, underWay } of this.#endpoints.values()) if (limit === 1) slow += underWay;
    this.#slowUnderWay = slow;
  }
}

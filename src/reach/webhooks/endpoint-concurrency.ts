/** Maximum number of running attempts per process. */
const totalLimit = 256;
/** Maximum number of running attempts to slow or failing endpoints. */
const slowLimit = totalLimit / 2;
/** Maximum number of running attempts to a new endpoint. */
export const initialLimit = 4;
/** Maximum number of running attempts to an endpoint that answers quickly. */
const maxLimit = 32;
/** An answer that takes longer is slow. */
const slowMs = 1000;

/** How long the state of an idle endpoint is kept. */
const idleMs = 60_000;
const slowIdleMs = 30 * 60_000;

interface EndpointState {
  limit: number;
  running: number;
  /** When an attempt last ended, by performance.now(). */
  endedAt: number;
}

/** How many deliveries of an endpoint can begin now. */
export interface EndpointCapacity {
  endpointId: string;
  capacity: number;
}

/**
 * Limits a process's running attempts, per endpoint and in total. An endpoint's limit doubles with each
 * quick answer and falls to 1 after a slow or failed one. Slow endpoints share half of the total.
 */
export class EndpointConcurrency {
  #endpoints = new Map<string, EndpointState>();
  #running = 0;
  #slowRunning = 0;

  /** Attempts that can begin now. */
  get free(): number {
    return totalLimit - this.#running;
  }

  get running(): number {
    return this.#running;
  }

  /** Returns the capacities of known endpoints; others have `initialLimit`. */
  capacity(): EndpointCapacity[] {
    this.#deleteIdle();
    const isSlowFull = this.#slowRunning >= slowLimit;
    return [...this.#endpoints].map(([endpointId, { limit, running }]) => ({
      endpointId,
      capacity: limit === 1 && isSlowFull ? 0 : Math.max(0, limit - running),
    }));
  }

  begin(endpointId: string): void {
    const state = this.#endpoints.getOrInsertComputed(endpointId, () => ({
      limit: initialLimit,
      running: 0,
      endedAt: 0,
    }));
    state.running += 1;
    this.#running += 1;
    this.#countSlow();
  }

  end(endpointId: string, isDelivered: boolean, durationMs: number): void {
    const state = this.#endpoints.get(endpointId)!;
    state.running -= 1;
    state.endedAt = performance.now();
    this.#running -= 1;
    state.limit = isDelivered && durationMs < slowMs ? Math.min(state.limit * 2, maxLimit) : 1;
    this.#countSlow();
  }

  #deleteIdle(): void {
    const now = performance.now();
    for (const [endpointId, { limit, running, endedAt }] of this.#endpoints) {
      const maxIdleMs = limit === 1 ? slowIdleMs : idleMs;
      if (running === 0 && now - endedAt > maxIdleMs) this.#endpoints.delete(endpointId);
    }
  }

  #countSlow(): void {
    let slow = 0;
    for (const { limit, running } of this.#endpoints.values()) if (limit === 1) slow += running;
    this.#slowRunning = slow;
  }
}

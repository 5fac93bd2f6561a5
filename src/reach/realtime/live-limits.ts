import type { Context } from '../../platform/context.ts';
import { networkOf } from '../../platform/limits.ts';
import { rateLimited } from '../../platform/problems.ts';

/** Of one user, from any address: some tabs and a phone. */
const maxOfUser = 5;
const retryAfterSeconds = 30;

/** Limits the open connections of each address and user, in this process. */
export class LiveLimits {
  #ctx: Context;
  #counts = new Map<string, number>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /**
   * Takes a place for a connection. Returns a function that gives it back, which may be called again.
   * @throws {Problem} rate-limited
   */
  take(ip: string, userId: string | undefined): () => void {
    const { config } = this.#ctx;
    if (!config.rateLimits) return () => {};
    const shared = this.#ctx.sharedNetworks.hourlyLimitOf(ip);
    const places: [key: string, max: number][] = [
      [networkOf(ip), Math.max(shared ?? 0, config.liveConnectionsPerAddress)],
    ];
    if (userId !== undefined) places.push([userId, maxOfUser]);
    if (places.some(([key, max]) => this.#count(key) >= max)) {
      throw rateLimited(retryAfterSeconds, 'Too many live connections are open.');
    }
    for (const [key] of places) this.#counts.set(key, this.#count(key) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [key] of places) this.#giveBack(key);
      isTaken = false;
    };
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #giveBack(key: string): void {
    const rest = this.#count(key) - 1;
    if (rest > 0) this.#counts.set(key, rest);
    else this.#counts.delete(key);
  }
}

import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { rateLimited } from './problems.ts';

/** How often something may be done within a window that begins with the first time. Slices declare their own. */
export interface Quota {
  /** Unique among all quotas, and the prefix of its keys in Redis. */
  name: string;
  points: number;
  durationSeconds: number;
}

/**
 * The network that limits count an address as: an IPv4 address itself; the /64 of an IPv6 address, which one
 * connection has to itself.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Sustained requests a second, and the size of a burst. */
export interface Rate {
  perSecond: number;
  burst: number;
}

export interface RateDecision {
  allowed: boolean;
  remaining: number;
  /** When the full burst is available again, in seconds since 1970. */
  resetAt: number;
  retryAfterSeconds: number;
}

/** Minimum time between log lines about Redis. */
const logIntervalMs = 10_000;

interface LimitsOptions {
  enabled: boolean;
  redis: Redis | undefined;
  log: Logger;
  now: () => Date;
}

/** Rate limits, in this process or shared by Redis. They let everything through while Redis does not answer. */
export class Limits {
  #enabled: boolean;
  #redis: Redis | undefined;
  #log: Logger;
  #now: () => Date;
  #windows = new Map<string, RateLimiterMemory | RateLimiterRedis>();
  /** Theoretical arrival time of each bucket's next request, in milliseconds. */
  #buckets: LRUCache<string, number>;
  /** Requests without an answer of Redis since the last log line, and the time of that line. */
  #unanswered = { times: 0, loggedAt: -Infinity };

  constructor({ enabled, redis, log, now }: LimitsOptions) {
    this.#enabled = enabled;
    // Allocates its whole memory at once.
    this.#buckets = new LRUCache({ max: enabled ? 200_000 : 1 });
    this.#redis = redis;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Takes one from the key's quota.
   * @throws {Problem} rate-limited if the quota is used up
   */
  async take(quota: Quota, key: string, message?: string): Promise<void> {
    const refusal = await this.#consume(quota, key);
    if (refusal) throw rateLimited(refusal.msBeforeNext / 1000, message);
  }

  /** Takes one from the key's quota. Returns false if the quota is used up. */
  async tryTake(quota: Quota, key: string): Promise<boolean> {
    return !(await this.#consume(quota, key));
  }

  /** Takes one from the quota. If it is used up, takes nothing and returns the state of the window. */
  async #consume(quota: Quota, key: string): Promise<RateLimiterRes | undefined> {
    if (!this.#enabled) return undefined;
    const state = await this.#askWindow(quota, (window) => window.consume(key));
    if (!state || state.consumedPoints <= quota.points) return undefined;
    // `consume` counts refusals too. Without this, giving points back later would not suffice.
    await this.giveBack(quota, key);
    return state;
  }

  /** Gives back one that was taken for an action that failed. */
  async giveBack(quota: Quota, key: string): Promise<void> {
    if (this.#enabled) await this.#askWindow(quota, (window) => window.reward(key));
  }

  /**
   * Checks the quota without taking from it.
   * @throws {Problem} rate-limited if it is used up
   */
  async requireAvailable(quota: Quota, key: string, message?: string): Promise<void> {
    if (!this.#enabled) return;
    const state = await this.#askWindow(quota, (window) => window.get(key));
    if (state && state.consumedPoints >= quota.points) {
      throw rateLimited(state.msBeforeNext / 1000, message);
    }
  }

  /** Resets the window of that key. */
  async clear(quota: Quota, key: string): Promise<void> {
    if (this.#enabled) await this.#askWindow(quota, (window) => window.delete(key));
  }

  async #askWindow<T>(
    { name, durationSeconds: duration }: Quota,
    ask: (window: RateLimiterMemory | RateLimiterRedis) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await ask(this.#windows.getOrInsertComputed(name, () => this.#window(name, duration)));
    } catch (error) {
      this.#logUnanswered(error);
      return undefined;
    }
  }

  #window(keyPrefix: string, duration: number): RateLimiterMemory | RateLimiterRedis {
    // Points are compared in #consume, since they can differ by key.
    const options = { keyPrefix, points: Number.MAX_SAFE_INTEGER, duration };
    return this.#redis
      ? new RateLimiterRedis({ storeClient: this.#redis, ...options })
      : new RateLimiterMemory(options);
  }

  /** Logs at intervals: under load, one line each time would be thousands of lines a second. */
  #logUnanswered(error: unknown): void {
    this.#unanswered.times++;
    const now = performance.now();
    if (now - this.#unanswered.loggedAt < logIntervalMs) return;
    const { times } = this.#unanswered;
    this.#log.warn({ err: error, times }, 'limits are open: Redis does not answer');
    this.#unanswered = { times: 0, loggedAt: now };
  }

  /**
   * Takes one request from a token bucket by the generic cell rate algorithm (GCRA). A bucket is stored as the time
   * at which it is full again.
   */
  request(key: string, rate: Rate): RateDecision | Promise<RateDecision> {
    const now = this.#now().getTime();
    if (!this.#enabled) return verdict(now, now, rate, true);
    if (this.#redis) return this.#requestInRedis(key, now, rate);
    const spacing = 1000 / rate.perSecond;
    const fullAt = Math.max(this.#buckets.get(key) ?? 0, now) + spacing;
    const allowed = fullAt - now <= spacing * rate.burst;
    if (allowed) this.#buckets.set(key, fullAt);
    return verdict(now, allowed ? fullAt : fullAt - spacing, rate, allowed);
  }

  async #requestInRedis(key: string, now: number, rate: Rate): Promise<RateDecision> {
    const spacing = 1000 / rate.perSecond;
    try {
      const [allowed, fullAt, at] = (await this.#redis!.eval(
        takeFromBucket,
        1,
        `rate:${key}`,
        spacing,
        spacing * rate.burst,
      )) as [number, string, string];
      return verdict(Number(at), Number(fullAt), rate, allowed === 1);
    } catch (error) {
      this.#logUnanswered(error);
      return verdict(now, now, rate, true);
    }
  }
}

function verdict(now: number, fullAt: number, rate: Rate, allowed: boolean): RateDecision {
  const spacing = 1000 / rate.perSecond;
  const taken = (fullAt - now) / spacing;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(rate.burst - taken + 1e-6)),
    resetAt: Math.ceil(fullAt / 1000),
    retryAfterSeconds: Math.max(0, (taken + 1 - rate.burst) / rate.perSecond),
  };
}

// The arithmetic of `request`, atomic in Redis. It uses the clock of Redis, since the clocks of two machines may differ
// by more than a bucket holds. It returns numbers as text, since Redis truncates fractions.
const takeFromBucket = `
local spacing, depth = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local known = math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now)
local full_at = known + spacing
local allowed = full_at - now <= depth
if allowed then
  redis.call('set', KEYS[1], string.format('%.3f', full_at), 'px', math.ceil(full_at - now) + 1000)
end
return {
  allowed and 1 or 0, string.format('%.3f', allowed and full_at or known), string.format('%.3f', now)
}`;

import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { LocalWindows, SharedWindows, type LimitWindows } from './limit-windows.ts';
import { rateLimited } from './problems.ts';

/** How often something may be done within a window that begins with the first time. Slices declare their own. */
export interface Quota {
  /** Unique among all quotas, and the prefix of its keys in Redis. */
  name: string;
  points: number;
  durationSeconds: number;
  /** Each process counts on its own while Redis is away. Other quotas let everything through then. */
  countsWithoutRedis?: boolean;
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
  /** Seconds from now to `resetAt`. */
  resetSeconds: number;
  retryAfterSeconds: number;
}

/** A quota, and the key whose window it is taken from. */
export type Counter = readonly [quota: Quota, key: string];

/** While Redis is away, one command in this time asks whether it is back: each to a frozen one waits for its timeout. */
const probeIntervalMs = 1000;

/** Windows of one quota. */
interface Windows {
  /** Undefined for quotas that do not hold without Redis. */
  local: LocalWindows | undefined;
  /** Undefined without Redis. */
  shared: SharedWindows | undefined;
}

interface LimitsOptions {
  enabled: boolean;
  redis: Redis | undefined;
  log: Logger;
  now: () => Date;
}

/**
 * Rate limits, in this process or shared by Redis. While Redis does not answer, they let everything through, so that
 * signing goes on, except quotas that protect secrets and mailboxes.
 */
export class Limits {
  #enabled: boolean;
  #redis: Redis | undefined;
  #log: Logger;
  #now: () => Date;
  #windows = new Map<string, Windows>();
  /** Theoretical arrival time of each bucket's next request, in milliseconds. */
  #buckets: LRUCache<string, number>;
  #isRedisAway = false;
  #probeAt = -Infinity;

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
    const waitMs = await this.#consume(quota, key);
    if (waitMs !== undefined) throw rateLimited(waitMs / 1000, message);
  }

  /** Takes one from the key's quota. Returns false if the quota is used up. */
  async tryTake(quota: Quota, key: string): Promise<boolean> {
    return (await this.#consume(quota, key)) === undefined;
  }

  /** Takes one from the quota. If it is used up, takes nothing and returns the milliseconds until the window ends. */
  async #consume(quota: Quota, key: string): Promise<number | undefined> {
    if (!this.#enabled) return undefined;
    return this.#askWindow(quota, (windows) => windows.take(key, quota.points));
  }

  /**
   * Takes one from each quota, or nothing at all if one of them is used up.
   * @throws {Problem} rate-limited if one is used up
   */
  async takeEach(counters: readonly Counter[], message?: string): Promise<void> {
    const waitMs = await this.#consumeEach(counters);
    if (waitMs !== undefined) throw rateLimited(waitMs / 1000, message);
  }

  /** As `takeEach`. Returns false if one is used up. */
  async tryTakeEach(counters: readonly Counter[]): Promise<boolean> {
    return (await this.#consumeEach(counters)) === undefined;
  }

  async #consumeEach(counters: readonly Counter[]): Promise<number | undefined> {
    for (const [index, counter] of counters.entries()) {
      const waitMs = await this.#consume(...counter);
      if (waitMs === undefined) continue;
      await this.giveBackEach(counters.slice(0, index));
      return waitMs;
    }
    return undefined;
  }

  /** Gives back one to each quota, as `giveBack`. */
  async giveBackEach(counters: readonly Counter[], takenAt?: number): Promise<void> {
    for (const counter of counters) await this.giveBack(...counter, takenAt);
  }

  /**
   * Gives back one that was taken for an action that failed, unless its window has ended since: `takenAt` is the
   * `performance.now()` after it was taken, by default now.
   */
  async giveBack(quota: Quota, key: string, takenAt = performance.now()): Promise<void> {
    if (!this.#enabled) return;
    const takenMsAgo = Math.floor(performance.now() - takenAt);
    await this.#askWindow(quota, (windows) => windows.giveBack(key, takenMsAgo));
  }

  /**
   * Judges a guess of a secret. Takes a point from each counter before, so that no more of many concurrent guesses are
   * judged than the quotas allow, and gives the points back unless the guess is wrong. Returns what `guess` returns:
   * undefined for a wrong one.
   * @throws {Problem} rate-limited, without judging, if a quota is used up
   */
  async checkGuess<T>(
    counters: readonly Counter[],
    message: string,
    guess: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    await this.takeEach(counters, message);
    const takenAt = performance.now();
    let isWrong = false;
    try {
      const result = await guess();
      isWrong = result === undefined;
      return result;
    } finally {
      if (!isWrong) await this.giveBackEach(counters, takenAt);
    }
  }

  /** Resets the window of that key. */
  async clear(quota: Quota, key: string): Promise<void> {
    if (this.#enabled) await this.#askWindow(quota, (windows) => windows.clear(key));
  }

  async #askWindow<T>(
    quota: Quota,
    ask: (windows: LimitWindows) => Promise<T>,
  ): Promise<T | undefined> {
    const { local, shared } = this.#windows.getOrInsertComputed(quota.name, () =>
      this.#createWindows(quota),
    );
    if (!shared || !this.#mayAskRedis()) return local && ask(local);
    try {
      const state = await ask(shared);
      this.#isRedisAway = false;
      return state;
    } catch (error) {
      this.#noteFailure(error);
      return local && ask(local);
    }
  }

  #createWindows(quota: Quota): Windows {
    const redis = this.#redis;
    const isLocal = !redis || quota.countsWithoutRedis;
    return {
      local: isLocal ? new LocalWindows(quota.durationSeconds) : undefined,
      shared: redis && new SharedWindows(redis, quota),
    };
  }

  /** Whether to ask Redis: always if it answered last time, else once in each interval. */
  #mayAskRedis(): boolean {
    if (!this.#isRedisAway) return true;
    const now = performance.now();
    if (now < this.#probeAt) return false;
    this.#probeAt = now + probeIntervalMs;
    return true;
  }

  #noteFailure(error: unknown): void {
    if (this.#isRedisAway) return;
    this.#isRedisAway = true;
    this.#probeAt = performance.now() + probeIntervalMs;
    this.#log.warn({ err: error }, 'limits let everything through: Redis does not answer');
  }

  /**
   * Takes one request from a token bucket by the generic cell rate algorithm (GCRA). A bucket is stored as the time
   * at which it is full again.
   */
  request(key: string, rate: Rate): RateDecision | Promise<RateDecision> {
    const now = this.#now().getTime();
    if (!this.#enabled) return verdict(now, now, rate, true);
    if (this.#redis) {
      if (!this.#mayAskRedis()) return verdict(now, now, rate, true);
      return this.#requestInRedis(this.#redis, key, now, rate);
    }
    return this.#takeFromBucket(key, now, rate);
  }

  /** As `request`, from a token bucket of this process alone: at once, and also while Redis is away. */
  requestOfProcess(key: string, rate: Rate): RateDecision {
    const now = this.#now().getTime();
    return this.#enabled ? this.#takeFromBucket(key, now, rate) : verdict(now, now, rate, true);
  }

  #takeFromBucket(key: string, now: number, rate: Rate): RateDecision {
    const spacing = 1000 / rate.perSecond;
    const fullAt = Math.max(this.#buckets.get(key) ?? 0, now) + spacing;
    const allowed = fullAt - now <= spacing * rate.burst;
    if (allowed) this.#buckets.set(key, fullAt);
    return verdict(now, allowed ? fullAt : fullAt - spacing, rate, allowed);
  }

  async #requestInRedis(redis: Redis, key: string, now: number, rate: Rate): Promise<RateDecision> {
    const spacing = 1000 / rate.perSecond;
    try {
      const [allowed, fullAt, at] = (await redis.eval(
        takeFromBucket,
        1,
        `rate:${key}`,
        spacing,
        spacing * rate.burst,
      )) as [number, string, string];
      this.#isRedisAway = false;
      return verdict(Number(at), Number(fullAt), rate, allowed === 1);
    } catch (error) {
      this.#noteFailure(error);
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
    resetSeconds: Math.ceil((fullAt - now) / 1000),
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

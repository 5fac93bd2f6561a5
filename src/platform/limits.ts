import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { rateLimited } from './problems.ts';

/** Quotas over a fixed window of time, by name: how many, in how many seconds. */
const windows = {
  signing: { points: 10, duration: 3600 },
  'petition-export': { points: 10, duration: 60 },
  'signature-export': { points: 10, duration: 60 },
  'personal-data': { points: 10, duration: 60 },
  // PDFs are set by the process that answers, a second for the longest.
  summary: { points: 10, duration: 60 },
  report: { points: 30, duration: 3600 },
  // More than anybody writes by hand; who fills threads so that nobody else can answer needs hours.
  comment: { points: 300, duration: 3600 },
  // By one link for all, so that nothing is stored of who shares.
  'anonymous-share': { points: 10, duration: 3600 },
  'login-account': { points: 5, duration: 900 },
  'login-address': { points: 5, duration: 900 },
  // A hash of the password is made for each, and many people behind one address may come on the same day.
  register: { points: 300, duration: 3600 },
  'mail-to-account': { points: 5, duration: 3600 },
  // Mails that ask to confirm a signature, by the address that sends for them: a school shares one.
  'signing-mail': { points: 30, duration: 3600 },
  // The same by the address that they go to, whose owner may never have asked for any.
  'signing-mail-to-address': { points: 10, duration: 86_400 },
  // Forms without a proof that no robot is at work, as browsers without scripts send them, and proofs that
  // nobody could judge.
  'unsolved-form': { points: 3, duration: 3600 },
  // News, each of which every signer is told of.
  update: { points: 100, duration: 86_400 },
  upload: { points: 100, duration: 86_400 },
  // Wrong secrets of one OAuth client from one address.
  'oauth-client': { points: 10, duration: 900 },
  // Texts to one phone, whose owner may never have asked for any, and which cost.
  'text-to-number': { points: 5, duration: 86_400 },
  // Mails to decision makers, who never asked for any.
  'delivery-to-address': { points: 5, duration: 86_400 },
  'delivery-by-creator': { points: 100, duration: 86_400 },
} as const;
export type WindowName = keyof typeof windows;

/**
 * What an address counts as: itself, or of IPv6 its /64, since that is what one connection is given
 * whole, with more addresses than anybody could be kept from trying.
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

/** Sustained requests a second, and how many may come at once. */
export interface Rate {
  perSecond: number;
  burst: number;
}

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  /** When the whole burst is there again, in seconds since 1970. */
  resetAt: number;
  retryAfterSeconds: number;
}

/** In milliseconds. */
const tellOpenEvery = 10_000;

interface LimitsOptions {
  enabled: boolean;
  redis: Redis | undefined;
  log: Logger;
  now: () => Date;
}

/**
 * All limits on how often something may be done: in this process, or across processes where Redis is
 * set. Where Redis does not answer they let everything through: nobody is turned away for its sake.
 */
export class Limits {
  #enabled: boolean;
  #redis: Redis | undefined;
  #log: Logger;
  #now: () => Date;
  #windows: Map<WindowName, RateLimiterMemory | RateLimiterRedis>;
  /** Theoretical arrival time of each bucket's next request, in milliseconds. */
  #buckets: LRUCache<string, number>;
  /** How often Redis did not answer since that was last told, and when that was. */
  #open = { times: 0, toldAt: -Infinity };

  constructor({ enabled, redis, log, now }: LimitsOptions) {
    this.#enabled = enabled;
    // It takes its memory at once.
    this.#buckets = new LRUCache({ max: enabled ? 200_000 : 1 });
    this.#redis = redis;
    this.#log = log;
    this.#now = now;
    // How many are allowed is judged here, since it can differ from key to key.
    const points = Number.MAX_SAFE_INTEGER;
    this.#windows = new Map(
      Object.entries(windows).map(([name, { duration }]) => [
        name as WindowName,
        redis
          ? new RateLimiterRedis({ storeClient: redis, keyPrefix: name, points, duration })
          : new RateLimiterMemory({ keyPrefix: name, points, duration }),
      ]),
    );
  }

  /**
   * Takes one from the window's quota, which is `points` where that key has one of its own.
   * @throws {Problem} rate-limited when it is used up
   */
  async take(name: WindowName, key: string, message?: string, points?: number): Promise<void> {
    const refusal = await this.#consume(name, key, points);
    if (refusal) throw rateLimited(refusal.msBeforeNext / 1000, message);
  }

  /** Takes one from the window's quota and tells whether there was one. */
  async count(name: WindowName, key: string): Promise<boolean> {
    return !(await this.#consume(name, key));
  }

  /** Takes one; gives the state of the window where there was none, and nothing is taken. */
  async #consume(
    name: WindowName,
    key: string,
    points: number = windows[name].points,
  ): Promise<RateLimiterRes | undefined> {
    if (!this.#enabled) return undefined;
    const state = await this.#askWindow(name, (window) => window.consume(key));
    if (!state || state.consumedPoints <= points) return undefined;
    // Refusals are counted too; taken back, or what is given back later would not be enough.
    await this.giveBack(name, key);
    return state;
  }

  /** Gives back one that was taken for something that did not come about. */
  async giveBack(name: WindowName, key: string): Promise<void> {
    if (this.#enabled) await this.#askWindow(name, (window) => window.reward(key));
  }

  /**
   * Looks without taking.
   * @throws {Problem} rate-limited when the quota is used up
   */
  async check(name: WindowName, key: string, message?: string): Promise<void> {
    if (!this.#enabled) return;
    const state = await this.#askWindow(name, (window) => window.get(key));
    if (state && state.consumedPoints >= windows[name].points) {
      throw rateLimited(state.msBeforeNext / 1000, message);
    }
  }

  /** Begins the window of that key anew. */
  async clear(name: WindowName, key: string): Promise<void> {
    if (this.#enabled) await this.#askWindow(name, (window) => window.delete(key));
  }

  async #askWindow<T>(
    name: WindowName,
    ask: (window: RateLimiterMemory | RateLimiterRedis) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await ask(this.#windows.get(name)!);
    } catch (error) {
      this.#tellOpen(error);
      return undefined;
    }
  }

  /** Not each time, which under load is some thousand lines a second that push others out of the logs. */
  #tellOpen(error: unknown): void {
    this.#open.times++;
    const now = performance.now();
    if (now - this.#open.toldAt < tellOpenEvery) return;
    const { times } = this.#open;
    this.#log.warn({ err: error, times }, 'limits are open: Redis does not answer');
    this.#open = { times: 0, toldAt: now };
  }

  /**
   * Takes one request from a token bucket, by the generic cell rate algorithm: a bucket is the time at
   * which it would be full again.
   */
  request(key: string, rate: Rate): RateVerdict | Promise<RateVerdict> {
    const now = this.#now().getTime();
    if (!this.#enabled) return verdict(now, now, rate, true);
    if (this.#redis) return this.#requestInRedis(key, now, rate);
    const spacing = 1000 / rate.perSecond;
    const fullAt = Math.max(this.#buckets.get(key) ?? 0, now) + spacing;
    const allowed = fullAt - now <= spacing * rate.burst;
    if (allowed) this.#buckets.set(key, fullAt);
    return verdict(now, allowed ? fullAt : fullAt - spacing, rate, allowed);
  }

  async #requestInRedis(key: string, now: number, rate: Rate): Promise<RateVerdict> {
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
      this.#tellOpen(error);
      return verdict(now, now, rate, true);
    }
  }
}

function verdict(now: number, fullAt: number, rate: Rate, allowed: boolean): RateVerdict {
  const spacing = 1000 / rate.perSecond;
  const taken = (fullAt - now) / spacing;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(rate.burst - taken + 1e-6)),
    resetAt: Math.ceil(fullAt / 1000),
    retryAfterSeconds: Math.max(0, (taken + 1 - rate.burst) / rate.perSecond),
  };
}

// The arithmetic of `request`, made atomic by Redis, and by its clock: those of two machines may differ by more
// than a bucket holds. Numbers go back as text: Redis cuts fractions.
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

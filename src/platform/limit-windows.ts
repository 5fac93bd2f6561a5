import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

/** The windows of one quota, by key. Each begins with the first take. */
export interface LimitWindows {
  /** Takes one. If the window holds no more than these points, takes nothing and returns the milliseconds until it ends. */
  take(key: string, points: number): Promise<number | undefined>;
  /** Gives back one that was taken this long ago. Does nothing if its window has ended since. */
  giveBack(key: string, takenMsAgo: number): Promise<void>;
  clear(key: string): Promise<void>;
}

interface LocalWindow {
  taken: number;
  /** By `performance.now()`. */
  beganAt: number;
}

/** Windows in this process. */
export class LocalWindows implements LimitWindows {
  readonly #durationMs: number;
  readonly #windows: LRUCache<string, LocalWindow>;

  constructor(durationSeconds: number) {
    this.#durationMs = durationSeconds * 1000;
    this.#windows = new LRUCache({ ttl: this.#durationMs, ttlAutopurge: true });
  }

  async take(key: string, points: number): Promise<number | undefined> {
    const now = performance.now();
    const known = this.#windows.get(key);
    const window = known ?? { taken: 0, beganAt: now };
    if (window.taken >= points) return Math.max(0, window.beganAt + this.#durationMs - now);
    window.taken += 1;
    if (!known) this.#windows.set(key, window);
    return undefined;
  }

  async giveBack(key: string, takenMsAgo: number): Promise<void> {
    const window = this.#windows.get(key);
    const isSame = window && performance.now() - window.beganAt >= takenMsAgo;
    if (isSame && window.taken > 0) window.taken -= 1;
  }

  async clear(key: string): Promise<void> {
    this.#windows.delete(key);
  }
}

/** Windows that processes share. */
export class SharedWindows implements LimitWindows {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #durationSeconds: number;

  constructor(redis: Redis, { name, durationSeconds }: { name: string; durationSeconds: number }) {
    this.#redis = redis;
    this.#name = name;
    this.#durationSeconds = durationSeconds;
  }

  async take(key: string, points: number): Promise<number | undefined> {
    const wait = await this.#redis.eval(take, 1, this.#key(key), points, this.#durationSeconds);
    return wait === null ? undefined : Number(wait);
  }

  async giveBack(key: string, takenMsAgo: number): Promise<void> {
    await this.#redis.eval(giveBack, 1, this.#key(key), takenMsAgo, this.#durationSeconds);
  }

  async clear(key: string): Promise<void> {
    await this.#redis.del(this.#key(key));
  }

  #key = (key: string) => `${this.#name}:${key}`;
}

// A refusal must not count for a moment either: what is counted before the end of a window would be given back to the
// next one, which then holds more than its points.
const take = `
if tonumber(redis.call('get', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return math.max(redis.call('pttl', KEYS[1]), 0)
end
redis.call('set', KEYS[1], 0, 'ex', ARGV[2], 'nx')
redis.call('incr', KEYS[1])
return nil`;

const giveBack = `
local age = ARGV[2] * 1000 - redis.call('pttl', KEYS[1])
if tonumber(redis.call('get', KEYS[1]) or '0') > 0 and age >= tonumber(ARGV[1]) then
  redis.call('decr', KEYS[1])
end`;

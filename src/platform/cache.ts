import { LRUCache } from 'lru-cache';
import { isDatabaseUnavailable, withDeadline } from './db.ts';

/** The longest time that a load may wait for the database. */
const loadTimeoutMs = 3500;
/** A load that takes longer counts as failed if there is an older value. */
const slowLoadMs = 1000;
/** Older values that are kept for each group. */
const maxStale = 200;

/** Caches reads in this process, for a short time. */
export interface Cache {
  /**
   * Returns the cached value of the key, or loads it. Concurrent readers share one load. Does not cache
   * failures, nor values that `keep` returns false for.
   */
  read<T>(
    group: string,
    key: string,
    load: () => Promise<T>,
    keep?: (value: T) => boolean,
  ): Promise<T>;
  /**
   * Invalidates one key of a group, or the whole group. The next read loads again even while a load is in
   * progress, so that a process sees its own writes. Call it after the write is committed.
   */
  drop(group: string, key?: string): void;
}

interface CacheOptions {
  /** How long a value is fresh. */
  ttlMs: number;
  /** How much longer it is returned while the database is unavailable (RFC 5861, stale-if-error). */
  staleMs?: number;
}

interface Group {
  fresh: LRUCache<string, Promise<unknown>>;
  stale: LRUCache<string, { value: unknown }> | undefined;
  /** Loads in progress whose key was not dropped since. */
  loads: Map<string, Promise<unknown>>;
}

/** Creates a cache whose entries expire. */
export function createCache({ ttlMs, staleMs = 0 }: CacheOptions): Cache {
  const groups = new Map<string, Group>();
  const findOrCreateGroup = (name: string): Group => {
    let group = groups.get(name);
    if (!group) {
      group = {
        // Purges expired entries, so that values that are rarely read do not fill the memory.
        fresh: new LRUCache({ max: 1000, ttl: ttlMs, ttlResolution: 20, ttlAutopurge: true }),
        stale: staleMs > 0 ? new LRUCache({ max: maxStale, ttl: ttlMs + staleMs }) : undefined,
        loads: new Map(),
      };
      groups.set(name, group);
    }
    return group;
  };
  return {
    read<T>(
      name: string,
      key: string,
      load: () => Promise<T>,
      keep: (value: T) => boolean = () => true,
    ): Promise<T> {
      const { fresh, stale, loads } = findOrCreateGroup(name);
      const known = fresh.get(key);
      if (known) return known as Promise<T>;
      const older = stale?.get(key) as { value: T } | undefined;
      // Its own deadline, since readers with several deadlines share it.
      const loading = withDeadline(loadTimeoutMs, load);
      const answer = older ? withFallback(loading, older.value) : loading;
      fresh.set(key, answer);
      loads.set(key, loading);
      const forgetIfCurrent = () => {
        if (fresh.peek(key) === answer) fresh.delete(key);
      };
      const end = (value?: T) => {
        if (loads.get(key) !== loading) return;
        loads.delete(key);
        if (value !== undefined) stale?.set(key, { value });
      };
      loading.then(
        (value) => {
          const isKept = keep(value);
          end(isKept ? value : undefined);
          if (!isKept) forgetIfCurrent();
          return isKept;
        },
        () => end(),
      );
      answer.catch(forgetIfCurrent);
      return answer;
    },
    drop(name, key) {
      const group = groups.get(name);
      if (!group) return;
      for (const entries of [group.fresh, group.stale, group.loads]) {
        if (key === undefined) entries?.clear();
        else entries?.delete(key);
      }
    },
  };
}

/** Returns the loaded value, or the older one if the database is unavailable or slow. */
async function withFallback<T>(loading: Promise<T>, older: T): Promise<T> {
  const slow = Promise.withResolvers<T>();
  const timer = setTimeout(() => slow.resolve(older), slowLoadMs);
  try {
    return await Promise.race([loading, slow.promise]);
  } catch (error) {
    if (isDatabaseUnavailable(error)) return older;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A view of the cache for work inside a transaction: `commit` does the drops collected so far. */
export function withinTransaction(cache: Cache): { cache: Cache; commit: () => void } {
  const drops: Parameters<Cache['drop']>[] = [];
  return {
    cache: {
      read: (group, key, load, keep) => cache.read(group, key, load, keep),
      drop: (...what) => void drops.push(what),
    },
    commit: () => {
      for (const what of drops) cache.drop(...what);
    },
  };
}

import { LRUCache } from 'lru-cache';
import { isConnectionError, withDeadline } from './db.ts';

/** Longest time that a load may wait for the database. */
const loadTimeoutMs = 3500;
/** A load that takes longer is taken for one that fails, where an older value can be given. */
const slowLoadMs = 1000;
/** Older values that are remembered of each group. */
const maxStale = 200;

/** Remembers what was read, for a short time and in this process only. */
export interface Cache {
  /**
   * The value under the key, loaded where it is not remembered. Concurrent readers share one load;
   * failures are not remembered, nor what `keep` says no of.
   */
  read<T>(
    group: string,
    key: string,
    load: () => Promise<T>,
    keep?: (value: T) => boolean,
  ): Promise<T>;
  /**
   * Forgets one key of a group, or the whole group. The next reader loads anew, also while a load is
   * under way, so that a process always sees its own writes. Called after the write is committed.
   */
  drop(group: string, key?: string): void;
}

interface CacheOptions {
  /** For how long a value is given, in milliseconds. */
  ttlMs: number;
  /** For how long it is given besides where the database cannot give a newer one (RFC 5861, stale-if-error). */
  staleMs?: number;
}

interface Group {
  fresh: LRUCache<string, Promise<unknown>>;
  stale: LRUCache<string, { value: unknown }> | undefined;
  /** Loads under way whose key was not dropped meanwhile. */
  loads: Map<string, Promise<unknown>>;
}

/** A cache that forgets by itself. */
export function createCache({ ttlMs, staleMs = 0 }: CacheOptions): Cache {
  const groups = new Map<string, Group>();
  const groupNamed = (name: string): Group => {
    let group = groups.get(name);
    if (!group) {
      group = {
        // What has expired goes at once, so that rarely read things do not fill the memory.
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
      const { fresh, stale, loads } = groupNamed(name);
      const known = fresh.get(key);
      if (known) return known as Promise<T>;
      const older = stale?.get(key) as { value: T } | undefined;
      // Readers share it, so it has a deadline of its own.
      const loading = withDeadline(loadTimeoutMs, load);
      const answer = older ? orOlder(loading, older.value) : loading;
      fresh.set(key, answer);
      loads.set(key, loading);
      const forget = () => {
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
          if (!isKept) forget();
          return isKept;
        },
        () => end(),
      );
      answer.catch(forget);
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

/** What is loaded, or the older value where the database is away or slow. */
async function orOlder<T>(loading: Promise<T>, older: T): Promise<T> {
  const slow = Promise.withResolvers<T>();
  const timer = setTimeout(() => slow.resolve(older), slowLoadMs);
  try {
    return await Promise.race([loading, slow.promise]);
  } catch (error) {
    if (isConnectionError(error)) return older;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The cache for work whose transaction commits later: what it drops is dropped by `commit`. */
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

import { LRUCache } from 'lru-cache';
import { withDeadline } from './db.ts';

/** Longest time that a load may wait for the database. */
const loadTimeoutMs = 4500;

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

/** A cache that forgets by itself after so many milliseconds. */
export function createCache(ttl: number): Cache {
  // What has expired goes at once, so that rarely read things do not fill the memory.
  const bounds = { max: 1_000, ttl, ttlResolution: 20, ttlAutopurge: true };
  const groups = new Map<string, LRUCache<string, Promise<unknown>>>();
  const groupNamed = (name: string) => {
    let group = groups.get(name);
    if (!group) groups.set(name, (group = new LRUCache(bounds)));
    return group;
  };
  return {
    read<T>(
      group: string,
      key: string,
      load: () => Promise<T>,
      keep: (value: T) => boolean = () => true,
    ): Promise<T> {
      const entries = groupNamed(group);
      const known = entries.get(key);
      if (known) return known as Promise<T>;
      // Readers share it, so it has a deadline of its own.
      const loading = withDeadline(loadTimeoutMs, load);
      entries.set(key, loading);
      const forget = () => {
        if (entries.peek(key) === loading) entries.delete(key);
      };
      loading.then((value) => keep(value) || forget(), forget);
      return loading;
    },
    drop(group, key) {
      if (key === undefined) groups.get(group)?.clear();
      else groups.get(group)?.delete(key);
    },
  };
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

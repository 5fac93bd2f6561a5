/**
 * Items that wait, in the order of arrival. The keys of taken items are held until they are released: items of a held key
 * are not ready.
 */
export class KeyedQueue<T> {
  #waiting = new Map<string, T[]>();
  #held = new Set<string>();
  #size = 0;
  #readyCount = 0;

  /** Number of items that wait. */
  get size(): number {
    return this.#size;
  }

  /** Number of items that can be taken. */
  get readyCount(): number {
    return this.#readyCount;
  }

  push(key: string, item: T): void {
    const items = this.#waiting.get(key);
    if (items) items.push(item);
    else this.#waiting.set(key, [item]);
    this.#size += 1;
    if (!this.#held.has(key)) this.#readyCount += 1;
  }

  /** Takes the first ready items, at most `limit`, and holds their keys. */
  take(limit: number): { keys: string[]; items: T[] } {
    const keys: string[] = [];
    const items: T[] = [];
    for (const [key, ofKey] of this.#waiting) {
      if (items.length === limit) break;
      if (this.#held.has(key)) continue;
      keys.push(key);
      this.#held.add(key);
      this.#readyCount -= ofKey.length;
      items.push(...ofKey.splice(0, limit - items.length));
      // What is left waits behind the other keys.
      this.#waiting.delete(key);
      if (ofKey.length > 0) this.#waiting.set(key, ofKey);
    }
    this.#size -= items.length;
    return { keys, items };
  }

  release(keys: string[]): void {
    for (const key of keys) {
      this.#held.delete(key);
      this.#readyCount += this.#waiting.get(key)?.length ?? 0;
    }
  }

  /** Takes all items of these keys, also of held ones. */
  drain(keys: string[]): T[] {
    return keys.flatMap((key) => {
      const items = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      this.#size -= items.length;
      if (!this.#held.has(key)) this.#readyCount -= items.length;
      return items;
    });
  }
}

import { encodeEntry, type LogEntry } from '../../src/platform/transparency/entries.ts';

/** A source of numbers that are the same in each run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to before the limit (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  hash(): string {
    return Buffer.from(Array.from({ length: 32 }, () => this.below(256))).toString('base64url');
  }
}

interface Petition {
  id: string;
  version: number;
  counted: number;
  imported: number;
  inForce: number[];
  undone: number[];
  isChanged: boolean;
}

/** The entries of a log in which everything happens that can. */
export function randomEntries(random: Random, count: number): LogEntry[] {
  const entries: LogEntry[] = [];
  const petitions = Array.from({ length: 5 }, (_, n): Petition => {
    const id = `3d1f0c5e-8a4b-4c6d-9e2f-${String(n).padStart(12, '0')}`;
    return { id, version: 0, counted: 0, imported: 0, inForce: [], undone: [], isChanged: false };
  });
  while (entries.length < count) {
    if (random.below(20) === 0) addTotals(entries, petitions);
    else entries.push(randomEntry(random, random.of(petitions), entries.length));
  }
  addTotals(entries, petitions);
  return entries;
}

function randomEntry(random: Random, one: Petition, index: number): LogEntry {
  const common = { v: 1 as const, petition: one.id };
  one.isChanged = true;
  const act = random.below(20);
  if (one.version === 0 || act === 0) {
    one.version += 1;
    const language = random.of(['de', 'und', 'sr-Latn']);
    return { ...common, type: 'text', version: one.version, language, text_hash: random.hash() };
  }
  if (act === 1) {
    const count = random.below(1000);
    one.imported += count;
    return { ...common, type: 'import', count };
  }
  if (act < 5 && one.inForce.length > 0) {
    const [leaf] = one.inForce.splice(random.below(one.inForce.length), 1);
    one.undone.push(leaf!);
    one.counted -= 1;
    const cause = random.of(['withdrawn', 'removed', 'invalidated'] as const);
    return { ...common, type: 'undo', leaf: leaf!, cause };
  }
  if (act < 7 && one.undone.length > 0) {
    const [leaf] = one.undone.splice(random.below(one.undone.length), 1);
    one.inForce.push(leaf!);
    one.counted += 1;
    return { ...common, type: 'restore', leaf: leaf! };
  }
  one.inForce.push(index);
  one.counted += 1;
  const version = 1 + random.below(one.version);
  return { ...common, type: 'sign', version, commitment: random.hash() };
}

function addTotals(entries: LogEntry[], petitions: Petition[]): void {
  const through = entries.length - 1;
  for (const one of petitions) {
    if (!one.isChanged) continue;
    one.isChanged = false;
    const { id: petition, counted, imported } = one;
    entries.push({ v: 1, type: 'total', petition, counted, imported, through });
  }
}

export const encodeAll = (entries: readonly LogEntry[]): Buffer[] => entries.map(encodeEntry);

import { v7 } from 'uuid';
import { comments, regions } from './demo-crowd.ts';
import type { DemoPetition } from './demo-world.ts';

/** Chance that is the same in every run. */
export interface Chance {
  /** At least 0, below 1. */
  number(): number;
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  /** A UUIDv7 of that time. */
  id(time: number): string;
}

/** Mulberry32: 32 bits of state, more than good enough for made-up people. */
export function chanceFrom(seed: number): Chance {
  let state = seed;
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(number() * limit);
  return {
    number,
    below,
    pick: (items) => items[below(items.length)]!,
    id: (time) => v7({ msecs: time, random: Uint8Array.from({ length: 16 }, () => below(256)) }),
  };
}

/** Somebody who signs. */
export interface Signer {
  id: string;
  place: string;
}

/** One of the many who only sign; the account is as old as the first signature. */
export interface CrowdMember extends Signer {
  name: string;
  email: string;
  firstSigned: number;
}

/** People of all regions, with names and places that go together. */
export function makeCrowd(chance: Chance, size: number): CrowdMember[] {
  return Array.from({ length: size }, (_, index) => {
    const region = chance.pick(regions);
    return {
      id: '',
      name: `${chance.pick(region.first)} ${chance.pick(region.last)}`,
      place: chance.pick(region.cities),
      email: `signer-${String(index + 1).padStart(4, '0')}@demo.example`,
      firstSigned: Number.POSITIVE_INFINITY,
    };
  });
}

const hour = 3_600_000;

/**
 * When signatures come: most in the first days, then a second wave after somebody wrote about it, and
 * a few at any time; fewer at night. Sorted.
 */
export function growth(chance: Chance, howMany: number, start: number, end: number): number[] {
  const span = end - start;
  const wave = start + span * (0.25 + 0.5 * chance.number());
  const fading = (from: number) => from - Math.log(1 - chance.number()) * span * 0.08;
  const draw = () => {
    const kind = chance.number();
    if (kind < 0.45) return fading(start);
    return kind < 0.75 ? fading(wave) : start + span * chance.number();
  };
  const times: number[] = [];
  while (times.length < howMany) {
    const time = Math.floor(draw());
    const night = new Date(time).getUTCHours() < 6;
    if (time > start && time < end && !(night && chance.number() < 0.8)) times.push(time);
  }
  return times.toSorted((a, b) => a - b);
}

/** Some of the people, each once, in a random order; those from the petition's region are likelier. */
export function chooseSigners<T extends Signer>(
  chance: Chance,
  from: readonly T[],
  howMany: number,
  country: string,
): T[] {
  const near = regions.find((region) => region.countries.includes(country))?.countries ?? [];
  return (
    from
      // Weighted sampling without replacement (Efraimidis and Spirakis, 2006).
      .map((person) => {
        const weight = near.includes(person.place.slice(-2)) ? 6 : 1;
        return { person, key: chance.number() ** (1 / weight) };
      })
      .toSorted((a, b) => b.key - a.key)
      .slice(0, howMany)
      .map(({ person }) => person)
      // By weight, neighbours would all sign first.
      .map((person) => ({ person, key: chance.number() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ person }) => person)
  );
}

export interface PlannedSignature {
  id: string;
  user: Signer;
  comment: string | null;
  isAnonymous: boolean;
  displayLocation: string | null;
  createdAt: number;
}

/** Who signs a petition when, and what they write; its creator is the first. */
export function planSignatures(
  chance: Chance,
  petition: DemoPetition,
  signers: readonly Signer[],
  [start, end]: readonly [start: number, end: number],
): PlannedSignature[] {
  // Each thing is said once below one petition.
  const general = comments.map((text) => ({ text, key: chance.number() }));
  const sayable = [
    ...(petition.comments ?? []),
    ...general.toSorted((a, b) => a.key - b.key).map(({ text }) => text),
  ];
  const share = Math.min(0.25, sayable.length / signers.length);
  // With chances of its own: how many it takes depends on the hour, and nothing else may.
  const times = growth(chanceFrom(chance.below(2 ** 31)), signers.length, start + hour / 2, end);
  return signers.map((user, index) => {
    const createdAt = index === 0 ? start + hour / 4 : times[index]!;
    const isAnonymous = index > 0 && chance.number() < 0.08;
    const speaks = index > 0 && chance.number() < share;
    return {
      id: chance.id(createdAt),
      user,
      comment: speaks ? (sayable.shift() ?? null) : null,
      isAnonymous,
      displayLocation: chance.number() < 0.7 ? user.place : null,
      createdAt,
    };
  });
}

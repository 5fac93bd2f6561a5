import { v7 } from 'uuid';
import { comments, regions } from './crowd.ts';
import type { DemoPetition } from './world.ts';

/** A random generator with a fixed seed. */
export interface Random {
  /** At least 0, below 1. */
  number(): number;
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  /** A UUIDv7 of that time, in milliseconds since 1970. */
  id(time: number): string;
}

/** Mulberry32, with 32 bits of state. */
export function createRandom(seed: number): Random {
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

/** An account that signs. */
export interface Signer {
  id: string;
  place: string;
}

/** The ISO code at the end of a person's place. */
export const countryOf = ({ place }: Signer): string => place.slice(-2);

/** A person who only signs, with an id once there is an account. */
export interface CrowdMember extends Signer {
  name: string;
  email: string;
}

/** Creates people of all regions, with matching names and places. */
export function makeCrowd(random: Random, size: number): CrowdMember[] {
  return Array.from({ length: size }, (_, index) => {
    const region = random.pick(regions);
    return {
      id: '',
      name: `${random.pick(region.first)} ${random.pick(region.last)}`,
      place: random.pick(region.cities),
      email: `signer-${String(index + 1).padStart(4, '0')}@demo.example`,
    };
  });
}

const hourMs = 3_600_000;

/** Draws the sorted times of signatures: most in the first days, then a second wave, and a few at any time; fewer at night. */
export function signatureTimes(
  random: Random,
  howMany: number,
  start: number,
  end: number,
): number[] {
  const span = end - start;
  const wave = start + span * (0.25 + 0.5 * random.number());
  const fading = (from: number) => from - Math.log(1 - random.number()) * span * 0.08;
  const draw = () => {
    const kind = random.number();
    if (kind < 0.45) return fading(start);
    return kind < 0.75 ? fading(wave) : start + span * random.number();
  };
  const times: number[] = [];
  while (times.length < howMany) {
    const time = Math.floor(draw());
    const night = new Date(time).getUTCHours() < 6;
    if (time > start && time < end && !(night && random.number() < 0.8)) times.push(time);
  }
  return times.toSorted((a, b) => a - b);
}

/** Chooses some of the people in random order. Those from the creator's region are more likely. */
export function chooseSigners(
  random: Random,
  people: readonly Signer[],
  howMany: number,
  creator: Signer,
): Signer[] {
  const region = regions.find(({ countries }) => countries.includes(countryOf(creator)));
  const weightOf = (person: Signer) => (region?.countries.includes(countryOf(person)) ? 6 : 1);
  // Weighted sampling without replacement (Efraimidis and Spirakis, 2006).
  const weighted = sortedBy(people, (person) => -(random.number() ** (1 / weightOf(person))));
  // Shuffles, since by weight people of the region would sign first.
  return sortedBy(weighted.slice(0, howMany), () => random.number());
}

/** Sorts by a key that is drawn once for each item. */
function sortedBy<T>(items: readonly T[], drawKey: (item: T) => number): T[] {
  return items
    .map((item) => ({ item, key: drawKey(item) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

export interface PlannedSignature {
  id: string;
  user: Signer;
  comment: string | null;
  isAnonymous: boolean;
  displayLocation: string | null;
  createdAt: number;
}

/** Plans the signatures of a petition with times and comments. Its creator signs first. */
export function planSignatures(
  random: Random,
  petition: DemoPetition,
  signers: readonly Signer[],
  start: number,
  end: number,
): PlannedSignature[] {
  // Each comment appears once for one petition.
  const general = sortedBy(comments, () => random.number());
  const available = [...(petition.comments ?? []), ...general];
  const share = Math.min(0.25, available.length / signers.length);
  // A generator of its own: the number of draws depends on the hour, and must not influence anything else.
  const ofTimes = createRandom(random.below(2 ** 31));
  const times = signatureTimes(ofTimes, signers.length, start + hourMs / 2, end);
  return signers.map((user, index) => {
    const createdAt = index === 0 ? start + hourMs / 4 : times[index]!;
    const isAnonymous = index > 0 && random.number() < 0.08;
    const hasComment = index > 0 && random.number() < share;
    return {
      id: random.id(createdAt),
      user,
      comment: hasComment ? (available.shift() ?? null) : null,
      isAnonymous,
      displayLocation: random.number() < 0.7 ? user.place : null,
      createdAt,
    };
  });
}

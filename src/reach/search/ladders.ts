/**
 * Large results are read in steps down a ladder: a small sample tells on how many rungs a page of matches
 * stands, and the index of words and rungs finds these alone, however many match in all. Rungs are whole
 * numbers, the highest come first (migrations/0029).
 */
export type Ladder = 'known' | 'day' | 'trend';

/** Some rungs of a ladder, both ends with them. */
export interface Stretch {
  from: number;
  upTo: number;
  /** So few have the words there that all else is looked at in their rows. */
  isSparse?: boolean;
}

/** Above all rungs. */
export const top = 2 ** 31 - 1;
export const bottom = 0;

/** Rungs of `known` that tell petitions as well known apart by the months of their days. */
export const stepOfKnown = 10_000;

/**
 * From each of these rungs of `known` upwards documents have an index of words of their own (migrations/0044): with
 * 131,072 signatures, 32,768, 11,585, 4,096 and 512; of real petitions some 300th, 100th, 25th, tenth and fourth.
 */
export const tiers = [340_000, 300_000, 270_000, 240_000, 180_000] as const;

/** The highest rung on which a petition of so many signatures may stand. */
export const knownBy = (signatures: number): number =>
  (Math.floor(2 * Math.log2(1 + signatures)) + 1) * stepOfKnown - 1;

export const dayOf = (at: Date): number => Math.max(Math.floor(at.getTime() / 86_400_000), 0);

/** As the function search_ranges numbers them (migrations/0034). */
const ladders: Ladder[] = ['known', 'day', 'trend'];
const rungsInRange = 8;
const topLevel = 5;
const places = 2 * rungsInRange ** topLevel;

const placeOf = (ladder: Ladder, rung: number): number => {
  const month = Math.min(rung % stepOfKnown, 1023);
  const place = ladder === 'known' ? Math.floor(rung / stepOfKnown) * 1024 + month : rung;
  return Math.min(place, places - 1);
};

/**
 * The ranges of 1, 8, 64 and more rungs that a stretch consists of, by which the index of words finds it: some
 * dozens at most, as in a segment tree.
 */
export function rangesOf(ladder: Ladder, { from, upTo }: Stretch): number[] {
  const ranges: number[] = [];
  let [first, end] = [placeOf(ladder, upTo), placeOf(ladder, from) + 1];
  for (let level = 0; first < end; level += 1) {
    const add = (place: number) =>
      ranges.push((ladders.indexOf(ladder) << 28) + (level << 24) + place);
    const isWhole = (place: number) => level < topLevel && place % rungsInRange === 0;
    while (first < end && !isWhole(first)) add(first++);
    while (first < end && !isWhole(end)) add(--end);
    first /= rungsInRange;
    end /= rungsInRange;
  }
  return ranges;
}

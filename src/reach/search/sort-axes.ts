/**
 * A sort order by which large results are read. Each order assigns a document to a bucket, a whole number; the highest
 * buckets come first (migrations/0029). A sample estimates how many buckets hold a page of matches, and the index of
 * words and buckets reads these alone, however many match in all.
 */
export type SortAxis = 'known' | 'day' | 'trend';

/** A range of buckets, both ends included. */
export interface BucketRange {
  high: number;
  low: number;
  /** So few match there that filters are checked on their rows. */
  isSparse?: boolean;
}

/** Above all buckets. */
export const highestBucket = 2 ** 31 - 1;
export const lowestBucket = 0;

/** Buckets of `known` for one step of signatures; within a step they differ by month. */
export const stepOfKnown = 10_000;

/**
 * From each of these buckets of `known` upwards documents have an index of words of their own (migrations/0044): with
 * 131,072 signatures, 32,768, 11,585, 4,096 and 512; of real petitions some 300th, 100th, 25th, tenth and fourth.
 */
export const indexedTiers = [340_000, 300_000, 270_000, 240_000, 180_000] as const;

/** The highest bucket of a petition with so many signatures. */
export const knownBy = (signatures: number): number =>
  (Math.floor(2 * Math.log2(1 + signatures)) + 1) * stepOfKnown - 1;

export const dayOf = (at: Date): number => Math.max(Math.floor(at.getTime() / 86_400_000), 0);

/** As the function search_ranges numbers them (migrations/0034). */
const sortAxes: SortAxis[] = ['known', 'day', 'trend'];
const bucketsInNode = 8;
const topLevel = 5;
const places = 2 * bucketsInNode ** topLevel;

const positionOf = (axis: SortAxis, bucket: number): number => {
  const month = Math.min(bucket % stepOfKnown, 1023);
  const place = axis === 'known' ? Math.floor(bucket / stepOfKnown) * 1024 + month : bucket;
  return Math.min(place, places - 1);
};

/**
 * The ranges of 1, 8, 64 and more buckets that a range consists of, by which the index of words finds it: some
 * dozens at most, as in a segment tree.
 */
export function rangesOf(axis: SortAxis, { high, low }: BucketRange): number[] {
  const ranges: number[] = [];
  let [first, end] = [positionOf(axis, low), positionOf(axis, high) + 1];
  for (let level = 0; first < end; level += 1) {
    const add = (place: number) =>
      ranges.push((sortAxes.indexOf(axis) << 28) + (level << 24) + place);
    const isWhole = (place: number) => level < topLevel && place % bucketsInNode === 0;
    while (first < end && !isWhole(first)) add(first++);
    while (first < end && !isWhole(end)) add(--end);
    first /= bucketsInNode;
    end /= bucketsInNode;
  }
  return ranges;
}

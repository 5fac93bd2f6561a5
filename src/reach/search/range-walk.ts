import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { lowestBucket, highestBucket, type SortAxis, type BucketRange } from './sort-axes.ts';
import type { Bounds, Found, Match } from './queries.ts';
import { areFiltersInRows, sampleRange, type Extent } from './sample-queries.ts';

/** What is read at once on the way down an axis. */
export interface Steps {
  axis: SortAxis;
  /** Buckets that cannot be told apart in this order. */
  step?: number;
  extent: Extent;
  /** As many are wanted of the best known as there are likely to be; if there are not, at least a few. */
  ofTier: { wanted: number; least: number };
  /** As many are wanted of a range otherwise, as the sample tells. */
  wanted: number;
  /** So many are fetched at once, rather than to ask for some of them. */
  mostAtOnce: number;
}

/** And how many there are. */
interface KnownRange extends BucketRange {
  found: number;
}

/** So many of a tier at most are fetched at once. */
const mostOfTier = 1500;

/** The buckets from one downwards that are read next. */
export async function nextRange(
  db: Db,
  match: Match,
  high: number,
  { axis, step, extent, ofTier, wanted, mostAtOnce }: Steps,
): Promise<KnownRange> {
  const { found, fetched } = extent;
  const tier = axis === 'known' && rangeToTier(extent, high, ofTier);
  if (tier) return tier;
  const toTheEnd = { high, low: lowestBucket, isSparse: true };
  if (fetched <= mostAtOnce) return { ...toTheEnd, found };
  const told = await sampleRange(db, extent.sample, match, axis, {
    high,
    wanted,
    of: found,
    step,
  });
  const areFew = (documents: number) => documents * (fetched / found) <= mostAtOnce;
  if (areFew(told.all)) return { ...toTheEnd, found: told.left };
  return areFew(told.left) ? { high, low: lowestBucket, found: told.left } : told;
}

/** The buckets down to the highest tier where there are likely to be as many as are wanted, and not too many. */
function rangeToTier(
  extent: Extent,
  high: number,
  { wanted, least }: Steps['ofTier'],
): KnownRange | undefined {
  const {
    found,
    sample: { tiers },
  } = extent;
  const isSparse = areFiltersInRows(extent);
  const above = tiers.findLast(({ upTo }) => upTo > high)?.share ?? 0;
  const ranges = tiers
    .filter(({ upTo }) => upTo <= high)
    .map(({ upTo, share }) => ({ high, low: upTo, isSparse, found: found * (share - above) }));
  const range = ranges.find((one) => one.found >= wanted) ?? ranges.at(-1);
  return range && range.found >= least && range.found <= mostOfTier ? range : undefined;
}

/** Matches that stand on one range of buckets: more are not fetched for a page. */
const mostFetched = 2000;
/** Rows that are looked at in the order of an index instead, where so many match there that few are enough. */
const walkBudget = 4000;
/** Where so few rows are expected to hold a page, they are looked at before anything else is asked. */
const shortWalk = 1000;

/** How the matches of a result are read in the order of an axis. */
export interface RangeWalk extends Omit<Steps, 'ofTier' | 'wanted'> {
  /** Where a former page ended. */
  after: { bucket: number; keys: CursorKeys } | null;
  limit: number;
  /** Those of some buckets. */
  read: (range: BucketRange, after: CursorKeys | null, limit: number) => Promise<Found[]>;
  /** Those of some rows, in their order. */
  walk: (after: CursorKeys | null, bounds: Bounds) => Promise<Found[]>;
}

/** A page of matches, read range by range down an axis. */
export async function readByRanges(
  db: Db,
  match: Match,
  { after, limit, read, walk, ...steps }: RangeWalk,
): Promise<Found[]> {
  const { extent } = steps;
  if (2 * limit * extent.sample.of <= shortWalk * extent.found) {
    const walked = await walk(after?.keys ?? null, { budget: shortWalk, limit });
    if (walked.length >= limit) return walked;
  }
  const found: Found[] = [];
  let keys = after?.keys ?? null;
  for (let from = after?.bucket ?? highestBucket; ;) {
    const missing = limit - found.length;
    // More than are missing, since what the sample tells is rough, of so few above all.
    const [least, wanted] = [missing + 15, 2 * missing + 16];
    const ofTier = { wanted: least, least };
    const range = await nextRange(db, match, from, { ...steps, ofTier, wanted });
    if (range.found > mostFetched) {
      const walked = await walk(keys, { budget: walkBudget, limit: missing });
      if (walked.length >= missing) return [...found, ...walked];
    }
    const rows = await read(range, keys, missing);
    found.push(...rows);
    if (found.length >= limit || range.low <= lowestBucket) return found;
    from = range.low - 1;
    const last = rows.at(-1);
    if (last) keys = [last.key, last.id];
  }
}

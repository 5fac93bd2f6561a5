import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { bottom, top, type Ladder, type Stretch } from './ladders.ts';
import type { Bounds, Found, Match } from './queries.ts';
import { areFiltersInRows, sampleStretch, type Extent } from './sample-queries.ts';

/** What is read at once on the way down a ladder. */
export interface Steps {
  ladder: Ladder;
  /** Rungs that cannot be told apart in this order. */
  step?: number;
  extent: Extent;
  /** As many are wanted of the best known as there are likely to be; if there are not, at least a few. */
  ofTier: { wanted: number; least: number };
  /** As many are wanted of a stretch otherwise, as the sample tells. */
  wanted: number;
  /** So many are fetched at once, rather than to ask for some of them. */
  mostAtOnce: number;
}

/** And how many there are. */
interface KnownStretch extends Stretch {
  found: number;
}

/** So many of a tier at most are fetched at once. */
const mostOfTier = 1500;

/** The rungs from one downwards that are read next. */
export async function nextStretch(
  db: Db,
  match: Match,
  from: number,
  { ladder, step, extent, ofTier, wanted, mostAtOnce }: Steps,
): Promise<KnownStretch> {
  const { found, fetched } = extent;
  const tier = ladder === 'known' && stretchToTier(extent, from, ofTier);
  if (tier) return tier;
  const toTheEnd = { from, upTo: bottom, isSparse: true };
  if (fetched <= mostAtOnce) return { ...toTheEnd, found };
  const told = await sampleStretch(db, extent.sample, match, ladder, {
    from,
    wanted,
    of: found,
    step,
  });
  const areFew = (documents: number) => documents * (fetched / found) <= mostAtOnce;
  if (areFew(told.all)) return { ...toTheEnd, found: told.left };
  return areFew(told.left) ? { from, upTo: bottom, found: told.left } : told;
}

/** The rungs down to the highest tier where there are likely to be as many as are wanted, and not too many. */
function stretchToTier(
  extent: Extent,
  from: number,
  { wanted, least }: Steps['ofTier'],
): KnownStretch | undefined {
  const {
    found,
    sample: { tiers },
  } = extent;
  const isSparse = areFiltersInRows(extent);
  const above = tiers.findLast(({ upTo }) => upTo > from)?.share ?? 0;
  const stretches = tiers
    .filter(({ upTo }) => upTo <= from)
    .map(({ upTo, share }) => ({ from, upTo, isSparse, found: found * (share - above) }));
  const stretch = stretches.find((one) => one.found >= wanted) ?? stretches.at(-1);
  return stretch && stretch.found >= least && stretch.found <= mostOfTier ? stretch : undefined;
}

/** Matches that stand on one stretch of rungs: more are not fetched for a page. */
const mostFetched = 2000;
/** Rows that are looked at in the order of an index instead, where so many match there that few are enough. */
const walkBudget = 4000;
/** Where so few rows are expected to hold a page, they are looked at before anything else is asked. */
const shortWalk = 1000;

/** How the matches of a result are read in the order of a ladder. */
export interface Descent extends Omit<Steps, 'ofTier' | 'wanted'> {
  /** Where a former page ended. */
  after: { rung: number; keys: CursorKeys } | null;
  limit: number;
  /** Those of some rungs. */
  read: (stretch: Stretch, after: CursorKeys | null, limit: number) => Promise<Found[]>;
  /** Those of some rows, in their order. */
  walk: (after: CursorKeys | null, bounds: Bounds) => Promise<Found[]>;
}

/** A page of matches, read stretch by stretch down a ladder. */
export async function readDown(
  db: Db,
  match: Match,
  { after, limit, read, walk, ...steps }: Descent,
): Promise<Found[]> {
  const { extent } = steps;
  if (2 * limit * extent.sample.of <= shortWalk * extent.found) {
    const walked = await walk(after?.keys ?? null, { budget: shortWalk, limit });
    if (walked.length >= limit) return walked;
  }
  const found: Found[] = [];
  let keys = after?.keys ?? null;
  for (let from = after?.rung ?? top; ;) {
    const missing = limit - found.length;
    // More than are missing, since what the sample tells is rough, of so few above all.
    const [least, wanted] = [missing + 15, 2 * missing + 16];
    const ofTier = { wanted: least, least };
    const stretch = await nextStretch(db, match, from, { ...steps, ofTier, wanted });
    if (stretch.found > mostFetched) {
      const walked = await walk(keys, { budget: walkBudget, limit: missing });
      if (walked.length >= missing) return [...found, ...walked];
    }
    const rows = await read(stretch, keys, missing);
    found.push(...rows);
    if (found.length >= limit || stretch.upTo <= bottom) return found;
    from = stretch.upTo - 1;
    const last = rows.at(-1);
    if (last) keys = [last.key, last.id];
  }
}

import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { bottom, top, type Ladder, type Stretch } from './ladders.ts';
import type { Bounds, Found, Match } from './queries.ts';
import { nextStretch, type Size } from './sample-queries.ts';

/** Matches that stand on one stretch of rungs: more are not fetched for a page. */
const mostFetched = 2000;
/** Rows that are looked at in the order of an index instead, where so many match there that few are enough. */
const walkBudget = 4000;
/** Where so few rows are expected to hold a page, they are looked at before anything else is asked. */
const shortWalk = 1000;

/** How the matches of a result are read in the order of a ladder. */
export interface Descent {
  ladder: Ladder;
  /** Rungs that cannot be told apart in this order. */
  step?: number;
  /** How many match. */
  size: Size;
  /** Of so many matches all are looked at. */
  mostAtOnce?: number;
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
  { ladder, step = 1, size, mostAtOnce = 0, after, limit, read, walk }: Descent,
): Promise<Found[]> {
  if (2 * limit * size.of <= shortWalk * size.found) {
    const walked = await walk(after?.keys ?? null, { budget: shortWalk, limit });
    if (walked.length >= limit) return walked;
  }
  if (size.found <= mostAtOnce)
    return read({ from: top, upTo: bottom }, after?.keys ?? null, limit);
  const found: Found[] = [];
  let keys = after?.keys ?? null;
  for (let from = after?.rung ?? top; ;) {
    const missing = limit - found.length;
    // Twice as many as are missing, since what the sample tells of so few is rough.
    const wanted = 2 * missing + 16;
    const stretch = await nextStretch(db, match, ladder, {
      from,
      wanted,
      least: wanted,
      of: size.found,
      step,
    });
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

import { decodeCursor, encodeCursor, type KeyKind } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { nextRange, readByRanges, type Steps } from './range-walk.ts';
import { lowestBucket, highestBucket, type BucketRange } from './sort-axes.ts';
import * as queries from './queries.ts';
import { within, type Found, type Match, type Queries, type Ranking } from './queries.ts';
import type { Extent } from './sample-queries.ts';

/** In what part of a result a page ends. */
type Phase = 'all' | 'titles' | 'rest';

/** The place after a petition in the order of relevance. */
export interface Position {
  phase: Phase;
  key: number;
  id: string;
  /** Of titles: those that are ranked together. */
  range: BucketRange;
}

const everything: BucketRange = { high: highestBucket, low: lowestBucket };

const list = 'search.relevance';
type Keys = [Phase, number, string, number, number];
const kinds: KeyKind[] = ['text', 'integer', 'uuid', 'integer', 'integer'];

export function decodePosition(cursor: string | undefined): Position | null {
  const keys = decodeCursor(list, kinds, cursor);
  if (!keys) return null;
  const [phase, key, id, high, low] = keys as Keys;
  return { phase, key, id, range: { high, low } };
}

export const encodePosition = ({ phase, key, id, range }: Position): string =>
  encodeCursor(list, [phase, key, id, range.high, range.low]);

export const positionIn =
  (phase: Phase, range = everything) =>
  ({ key, id }: Found): Position => ({ phase, key: Number(key), id, range });

/** So many are looked at for a page, rather than to ask for some of them. */
const mostAtOnce = 4000;
/** Titles that are ranked together, where there are too many to rank them all. */
const rankedTogether = 200;
/** The best known of them come first, where there are likely to be as many as some pages have. */
const ofTier = { wanted: 36, least: 24 };

/** A result that is too large to be ranked as a whole. */
export interface LargeResult {
  /** All that match. */
  match: Match;
  /** The words in title or tags; none where no words are wanted. */
  inTitles: Queries;
  /** Such a part of all that match has them there, about: 0 to 1. */
  shareInTitles: number;
  /** What else must be. */
  filters: Match;
  ranking: Ranking | null;
  extent: Extent;
  /** So many titles are read and ranked at once. */
  mostRanked: number;
}

/**
 * A page of a large result. Those that have the words in title or tags come first, by how well they fit: all
 * at once where they are not too many, else range by range of the best known ones. Then the rest, by
 * how well they are known.
 */
export async function readLarge(
  db: Db,
  result: LargeResult,
  after: Position | null,
  limit: number,
): Promise<Position[]> {
  const found: Position[] = [];
  if (result.inTitles.length > 0 && after?.phase !== 'rest') {
    found.push(...(await readTitles(db, result, after, limit)));
    after = null;
  }
  if (found.length < limit) {
    found.push(...(await readRest(db, result, after, limit - found.length)));
  }
  return found;
}

async function readTitles(
  db: Db,
  { inTitles, shareInTitles: share, filters, ranking, extent, mostRanked }: LargeResult,
  after: Position | null,
  limit: number,
): Promise<Position[]> {
  const titles = within(filters, inTitles);
  const steps: Steps = {
    axis: 'known',
    extent: { ...extent, found: extent.found * share, fetched: extent.fetched * share },
    ofTier,
    wanted: rankedTogether,
    mostAtOnce: mostRanked,
  };
  let range = after?.range;
  let keys = after && [after.key, after.id];
  const found: Position[] = [];
  for (let from = highestBucket; ; from = range.low - 1, range = undefined, keys = null) {
    range ??= await nextRange(db, titles, from, steps);
    const wanted = limit - found.length;
    const rows = await queries.readRanked(db, titles, range, ranking, keys, wanted);
    found.push(...rows.map(positionIn('titles', range)));
    if (found.length >= limit || range.low <= lowestBucket) return found;
  }
}

/** By how well they are known. */
async function readRest(
  db: Db,
  { match, inTitles, extent }: LargeResult,
  after: Position | null,
  limit: number,
): Promise<Position[]> {
  const rows = await readBestKnown(db, { ...match, without: inTitles }, { extent, after, limit });
  return rows.map(positionIn('rest'));
}

interface BestKnown {
  extent: Extent;
  after: Pick<Position, 'key' | 'id'> | null;
  limit: number;
}

/** Matches by how well they are known. */
export async function readBestKnown(
  db: Db,
  match: Match,
  { extent, after, limit }: BestKnown,
): Promise<Found[]> {
  return readByRanges(db, match, {
    axis: 'known',
    extent,
    mostAtOnce,
    after: after && { bucket: after.key, keys: [after.key, after.id] },
    limit,
    read: (range, keys, wanted) => queries.readRanked(db, match, range, null, keys, wanted),
    walk: (keys, bounds) => queries.walkByKnown(db, match, keys, bounds),
  });
}

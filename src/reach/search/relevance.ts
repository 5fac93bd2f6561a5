import { decodeCursor, encodeCursor, type KeyKind } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { bestKnownThreshold, maxRankedTitles, minTitlesOfPart, planScans } from './cost-model.ts';
import * as queries from './queries.ts';
import type { Found, RankedTitles } from './queries.ts';
import type { PageRequest, ResultOrder, ResultRow } from './result-order.ts';

/** Where a page ends. */
interface Position {
  /** `all`: of a result that was read as a whole. Of a large one: `titles`, then the `rest`. */
  phase: 'all' | 'titles' | 'rest';
  key: number;
  id: string;
  /** Buckets of the titles that are ranked together, from `high` down to `low`. */
  high: number;
  low: number;
}

const list = 'search.relevance';
const keyKinds: KeyKind[] = ['text', 'integer', 'uuid', 'integer', 'integer'];

function toPosition(cursor: string | undefined): Position | null {
  const keys = decodeCursor(list, keyKinds, cursor);
  if (!keys) return null;
  const [phase, key, id, high, low] = keys as [Position['phase'], number, string, number, number];
  return { phase, key, id, high, low };
}

const toRow =
  (phase: Position['phase'], high = queries.maxInteger, low = 0) =>
  ({ id, key }: Found): ResultRow => ({
    id,
    cursor: encodeCursor(list, [phase, key, id, high, low]),
  });

const keysOf = (after: Position | null): queries.After => after && [after.key, after.id];

/** By how well petitions fit and how well known they are. */
export function byRelevance(cursor: string | undefined): ResultOrder {
  const after = toPosition(cursor);
  return {
    isLarge: after ? after.phase !== 'all' : undefined,
    async readExact(db, { match, ranking, limit }) {
      const page = { match, after: keysOf(after), limit };
      const { page: found, groups } = await queries.readExact(db, ranking, page);
      return { rows: found.map(toRow('all')), groups };
    },
    readPage: (db, request) => readLargePage(db, request, after),
  };
}

/** First petitions with all words in title or tags, ranked; then the others, the best known first. */
async function readLargePage(
  db: Db,
  request: PageRequest,
  after: Position | null,
): Promise<ResultRow[]> {
  const { match, inTitle, limit } = request;
  if (!inTitle || after?.phase === 'rest') return readRest(db, request, after);
  const titles = await readTitles(db, { ...request, match: { ...match, inTitle } }, after);
  if (titles.length >= limit) return titles;
  return [...titles, ...(await readRest(db, { ...request, limit: limit - titles.length }, null))];
}

/** Ranks titles all together if they are few, else part by part, the best known first. */
async function readTitles(
  db: Db,
  request: PageRequest,
  after: Position | null,
): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  let part: queries.BucketRange = { high: after?.high ?? queries.maxInteger, low: after?.low };
  let keys = keysOf(after);
  for (;;) {
    const missing = request.limit - rows.length;
    const { ranked, low } = await rankPart(db, { ...request, after: keys, limit: missing }, part);
    rows.push(...ranked.map(toRow('titles', part.high, low)));
    if (ranked.length >= missing || low === 0) return rows;
    part = { high: low - 1, low: undefined };
    keys = null;
  }
}

async function rankPart(
  db: Db,
  request: PageRequest & { after: queries.After },
  part: queries.BucketRange,
): Promise<RankedTitles> {
  const { inTitle: matches, documents, bestKnown } = request.size;
  if (matches <= maxRankedTitles) {
    const all = { high: part.high, low: part.low ?? 0, minTitles: 0 };
    return queries.readFirst(['all'], (scan) => queries.rankTitles(db, request, all, scan));
  }
  const isOfBestKnown = (part.low ?? part.high) >= bestKnownThreshold;
  const minTitles = Math.max(minTitlesOfPart, request.limit);
  const estimates = { matches, documents, bestKnown: isOfBestKnown ? bestKnown : 0 };
  return queries.readFirst(planScans(estimates, minTitles, 'title'), (scan) => {
    const low = part.low ?? (scan === 'best known' ? bestKnownThreshold : undefined);
    return queries.rankTitles(db, request, { high: part.high, low, minTitles }, scan);
  });
}

/** The best known first. */
async function readRest(
  db: Db,
  { match, inTitle, size, limit }: PageRequest,
  after: Position | null,
): Promise<ResultRow[]> {
  const rest = inTitle ? { ...match, notInTitle: inTitle.row } : match;
  const estimates = { ...size, matches: size.total - size.inTitle };
  const found = await queries.readFirst(planScans(estimates, limit, 'document'), (scan) =>
    queries.readBestKnown(db, { match: rest, after: keysOf(after), limit }, scan),
  );
  return found.map(toRow('rest'));
}

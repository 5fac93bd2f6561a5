import type { Db } from '../../platform/db.ts';
import { bestKnownThreshold, maxRankedTitles, minTitlesOfPart, planScans } from './cost-model.ts';
import type { ResultEstimate } from './estimate.ts';
import type { Match, TitleQueries } from './matching.ts';
import * as queries from './queries.ts';
import type { AnalyzedQuery } from './query-analysis.ts';
import {
  maxInteger,
  toRows,
  type ColumnOrder,
  type RelevanceOrder,
  type ResultOrder,
  type ResultRow,
} from './result-order.ts';

/** What is read of a result. */
export interface PageRequest extends Pick<AnalyzedQuery, 'inTitle' | 'ranking'> {
  match: Match;
  /** Estimates by which scans are chosen. */
  size: Pick<ResultEstimate, 'documents' | 'bestKnown' | 'total' | 'inTitle'>;
  limit: number;
}

/** Reads a page of a large result. Scans are planned from the estimates, the cheapest first. */
export const readLargePage = (
  db: Db,
  order: ResultOrder,
  request: PageRequest,
): Promise<ResultRow[]> =>
  order.sort === 'relevance'
    ? readByRelevance(db, order, request)
    : readByColumn(db, order, request);

async function readByColumn(
  db: Db,
  order: ColumnOrder,
  { match, size, limit }: PageRequest,
): Promise<ResultRow[]> {
  const { documents, total: matches } = size;
  const bestKnown = order.sort === 'signatures' ? size.bestKnown : 0;
  const scans = planScans({ matches, documents, bestKnown }, limit, order.column);
  return toRows(order, await queries.readSorted(db, order, { match, limit }, scans));
}

/** First petitions with all words in title or tags, ranked; then the others, the best known first. */
async function readByRelevance(
  db: Db,
  order: RelevanceOrder,
  request: PageRequest,
): Promise<ResultRow[]> {
  const { inTitle, limit } = request;
  if (!inTitle || order.after?.phase === 'rest') return readRest(db, order, request);
  const titles = await readTitles(db, order, request, inTitle);
  const missing = limit - titles.length;
  if (missing === 0) return titles;
  const rest = await readRest(db, { ...order, after: null }, { ...request, limit: missing });
  return [...titles, ...rest];
}

/** Ranks titles all together if they are few, else part by part, the best known first. */
async function readTitles(
  db: Db,
  order: RelevanceOrder,
  { match, ranking, size, limit }: PageRequest,
  inTitle: TitleQueries,
): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  let { after } = order;
  let range: BucketRange = { high: after?.high ?? maxInteger, low: after?.low };
  while (rows.length < limit && range.high >= 0) {
    const missing = limit - rows.length;
    const page = { match: { ...match, inTitle }, after, limit: missing };
    const scans = planTitleScans(size, range, missing);
    const { ranked, low } = await queries.rankTitles(db, ranking, page, scans);
    rows.push(...toRows(order, ranked, { phase: 'titles', high: range.high, low }));
    range = { high: low - 1, low: undefined };
    after = null;
  }
  return rows;
}

/** Buckets `known` from `high` down to `low`, or as low as it takes to find enough. */
interface BucketRange {
  high: number;
  low: number | undefined;
}

/** Ways to read the titles of a range, or of its upper part, the cheapest first. */
function planTitleScans(
  { inTitle: matches, documents, bestKnown }: PageRequest['size'],
  { high, low }: BucketRange,
  limit: number,
): queries.TitleScan[] {
  if (matches <= maxRankedTitles) return [{ scan: 'all', high, low: low ?? 0, minTitles: 0 }];
  const isOfBestKnown = (low ?? high) >= bestKnownThreshold;
  const minTitles = Math.max(minTitlesOfPart, limit);
  const estimates = { matches, documents, bestKnown: isOfBestKnown ? bestKnown : 0 };
  return planScans(estimates, minTitles, 'title').map((scan) => ({
    scan,
    high,
    low: low ?? (scan === 'best known' ? bestKnownThreshold : undefined),
    minTitles,
  }));
}

/** The best known first. */
async function readRest(
  db: Db,
  order: RelevanceOrder,
  { match, inTitle, size, limit }: PageRequest,
): Promise<ResultRow[]> {
  const rest = inTitle ? { ...match, notInTitle: inTitle.row } : match;
  // The total is rounded, the matches in titles are not.
  const matches = Math.max(size.total - size.inTitle, 0);
  const scans = planScans({ ...size, matches }, limit, 'document');
  const page = { match: rest, after: order.after, limit };
  const found = await queries.readBestKnown(db, page, scans);
  return toRows(order, found, { phase: 'rest', high: maxInteger, low: 0 });
}

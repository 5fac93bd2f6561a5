import { categoryAsked } from '../../campaigns/categories/categories.ts';
import { tagKeysAsked } from '../../campaigns/petitions/list.ts';
import { findListedPetitions } from '../../campaigns/petitions/read.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { toPage, type Page } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue } from '../../platform/problems.ts';
import { maxExactDocuments } from './cost-model.ts';
import { filterQueries, type SearchFilters } from './document.ts';
import { estimateResult } from './estimate.ts';
import { toCounts, type Counts } from './facets.ts';
import { readLargePage } from './large-page.ts';
import { readExact } from './queries.ts';
import { analyzeQuery, type AnalyzedQuery } from './query-analysis.ts';
import { orderOf, toRows, type ResultOrder, type ResultRow } from './result-order.ts';
import type { SearchQuery } from './schema.ts';
import { runSearch } from './serving.ts';
import { correctSpelling } from './spelling.ts';
import { completePrefix, languagesFor, type LanguageChoice } from './vocabulary.ts';
import { isAnywhere } from './word-queries.ts';

export { suggestTitles } from './suggesting.ts';
export { similarPetitions } from './similar.ts';

export interface SearchResults extends Page<PetitionSummary> {
  beside: Counts & { facets_estimated: boolean; corrected: boolean };
}

/** What a query is searched with. */
interface SearchOptions {
  filters: SearchFilters;
  order: ResultOrder;
  limit: number;
}

/**
 * A page of the petitions that match, with the total and facets of the whole result. All callers see the same.
 * @throws {Problem} unavailable if the search cannot answer in time
 */
export async function searchPetitions(
  ctx: Context,
  asked: SearchQuery & LanguageChoice,
): Promise<SearchResults> {
  const { sort = 'relevance', limit = defaultLimit, cursor, q = '' } = asked;
  const order = orderOf(sort, cursor);
  const filters = await toFilters(ctx, asked);
  const options = { filters, order, limit };
  return runSearch(ctx, async (db) => {
    const typed = analyzeQuery(q, await languagesFor(ctx, db, asked));
    if (typed.terms.length === 0 && q.trim() !== '') return noResults;
    const query = await completePrefix(ctx, db, typed, filters);
    const found = await readResult(ctx, db, query, options);
    const correction = found.total === 0 ? await correct(db, typed, filters) : undefined;
    const result = correction ? await readResult(ctx, db, correction, options) : found;
    const { rows, total, facets, isEstimated } = result;
    const page = await readPetitions(ctx, rows, limit);
    const corrected = correction !== undefined && total > 0;
    return { ...page, beside: { total, facets, facets_estimated: isEstimated, corrected } };
  });
}

const noResults: SearchResults = {
  items: [],
  nextCursor: null,
  beside: { ...toCounts([]), facets_estimated: false, corrected: false },
};

/** @throws {Problem} validation-failed for an unknown country or category, or two values of one filter */
async function toFilters(ctx: Context, query: SearchQuery): Promise<SearchFilters> {
  const { status, country } = query;
  if (country && !isCountry(country)) {
    throw invalidValue('country', 'This is no country of ISO 3166-1.');
  }
  return {
    statuses: status === undefined ? [] : [...new Set(status.split(','))],
    category: await categoryAsked(ctx, query),
    country: country?.toUpperCase(),
    tagKeys: tagKeysAsked(query),
  };
}

/** A page of a result, and the counts of all of it. */
interface Result extends Counts {
  rows: ResultRow[];
  isEstimated: boolean;
}

/** Reads a small result as a whole; of a large one the page, with estimated counts. */
async function readResult(
  ctx: Context,
  db: Db,
  query: AnalyzedQuery,
  { filters, order, limit }: SearchOptions,
): Promise<Result> {
  const match = { words: query.words, filters };
  const estimate = await estimateResult(ctx, db, match, query.inTitle?.row);
  // The row after the page shows whether there is a next one.
  const request = { ...query, match, size: estimate, limit: limit + 1 };
  if (isExact(order, estimate)) {
    const { page, groups } = await readExact(db, order, request);
    return { rows: toRows(order, page), ...toCounts(groups), isEstimated: false };
  }
  const { total, facets } = estimate;
  return { rows: await readLargePage(db, order, request), total, facets, isEstimated: true };
}

/** Whether every match is read: as for the page before, whose cursor says so, or if they are few. */
const isExact = (order: ResultOrder, { total }: Counts): boolean =>
  order.sort === 'relevance' && order.after
    ? order.after.phase === 'all'
    : total <= maxExactDocuments;

/** The query with corrected words, if the typed words, not the filters, leave nothing. */
async function correct(
  db: Db,
  typed: AnalyzedQuery,
  filters: SearchFilters,
): Promise<AnalyzedQuery | undefined> {
  const isFiltered = filterQueries(filters).length > 0;
  if (typed.words.length === 0 || (isFiltered && (await isAnywhere(db, typed.words)))) {
    return undefined;
  }
  return correctSpelling(db, typed);
}

/** The petitions of the page, without those that were hidden meanwhile. */
async function readPetitions(
  ctx: Context,
  rows: ResultRow[],
  limit: number,
): Promise<Page<PetitionSummary>> {
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const petitions = new Map((await findListedPetitions(ctx, ids)).map((one) => [one.id, one]));
  const { items, nextCursor } = toPage(
    rows.map((row) => ({ ...petitions.get(row.id), ...row })),
    limit,
    (last) => last.cursor,
    ({ id }) => petitions.get(id) ?? [],
  );
  return { items: items.flat(), nextCursor };
}

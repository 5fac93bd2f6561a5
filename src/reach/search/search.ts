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
import { analyzeQuery, type AnalyzedQuery } from './query-analysis.ts';
import { byRelevance } from './relevance.ts';
import type { ResultOrder } from './result-order.ts';
import type { SearchQuery } from './schema.ts';
import { runSearch } from './serving.ts';
import { bySort } from './sorting.ts';
import { correctSpelling } from './spelling.ts';
import { completePrefix, languagesFor, type LanguageChoice } from './vocabulary.ts';
import { isAnywhere } from './word-queries.ts';

export { suggestTitles } from './suggesting.ts';
export { similarPetitions } from './similar.ts';

export interface SearchResults extends Page<PetitionSummary> {
  beside: Counts & { facets_estimated: boolean; corrected: boolean };
}

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
  const order = sort === 'relevance' ? byRelevance(cursor) : bySort(sort, cursor);
  const options = { filters: await toFilters(ctx, asked), order, limit };
  return runSearch(ctx, async (db) => {
    const typed = analyzeQuery(q, await languagesFor(ctx, db, asked));
    if (typed.terms.length === 0 && q.trim() !== '') return noResults;
    const hasOneCondition = typed.terms.length + filterQueries(options.filters).length === 1;
    const query = hasOneCondition ? typed : await completePrefix(ctx, db, typed);
    const results = await answer(ctx, db, query, options);
    if (results.beside.total > 0 || !(await mayBeMisspelt(db, typed, options))) return results;
    const corrected = await correctSpelling(db, typed);
    if (!corrected) return results;
    const { beside, ...page } = await answer(ctx, db, corrected, options);
    return { ...page, beside: { ...beside, corrected: beside.total > 0 } };
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

/** Reads a small result as a whole; of a large one the page, with estimated counts. */
async function answer(
  ctx: Context,
  db: Db,
  query: AnalyzedQuery,
  { filters, order, limit }: SearchOptions,
): Promise<SearchResults> {
  const match = { words: query.words, filters };
  const estimate = await estimateResult(ctx, db, match, query.inTitle?.row);
  const isLarge = order.isLarge ?? estimate.total > maxExactDocuments;
  // The row after the page shows whether there is a next one.
  const request = { ...query, match, size: estimate, limit: limit + 1 };
  const { rows, groups } = isLarge
    ? { rows: await order.readPage(db, request), groups: undefined }
    : await order.readExact(db, request);
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const petitions = new Map((await findListedPetitions(ctx, ids)).map((one) => [one.id, one]));
  const { items, nextCursor } = toPage(
    rows.map((row) => ({ ...petitions.get(row.id), ...row })),
    limit,
    (last) => last.cursor,
    ({ id }) => petitions.get(id) ?? [],
  );
  const { total, facets } = groups ? toCounts(groups) : estimate;
  return {
    items: items.flat(),
    nextCursor,
    beside: { total, facets, facets_estimated: isLarge, corrected: false },
  };
}

/** Whether the words, not the filters, leave nothing. */
const mayBeMisspelt = async (db: Db, { words }: AnalyzedQuery, { filters }: SearchOptions) =>
  words.length > 0 && (filterQueries(filters).length === 0 || !(await isAnywhere(db, words)));

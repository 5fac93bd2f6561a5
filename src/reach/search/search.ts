import { listedPetitions, tagKey } from '../../campaigns/petitions/petitions.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue } from '../../platform/problems.ts';
import { filterLexemes, quoted } from './document.ts';
import * as queries from './queries.ts';
import type { Facets, Found, Match, PetitionSort, Survey } from './queries.ts';
import { decodePosition, encodePosition, readLarge, type Position } from './relevance.ts';
import { end, start } from './queries.ts';
import type { SearchQuery } from './schema.ts';
import { serve } from './serving.ts';
import { languagesFor, mend, understand, type Understood } from './understanding.ts';

export { suggestTitles } from './suggesting.ts';
export { similarPetitions } from './similar.ts';

/** Where a text comes from whose language is not named. */
export interface Preferring {
  acceptLanguage?: string | undefined;
}

export interface SearchResults extends Page<PetitionSummary> {
  beside: { facets: Facets; facets_estimated: boolean; total: number; corrected: boolean };
}

/** Documents of the sample that a result may have to be fetched and counted as a whole. */
const mostSampled = 125;
/** One document of so many is in the sample. */
const sampleShare = 64;
/** Petitions that are looked at in the order of a list before all matches are fetched instead. */
const walkBudget = 12_000;

/**
 * A page of the petitions that have the words, with what the whole result consists of. Everybody sees
 * the same.
 * @throws {Problem} unavailable where the search cannot answer in time
 */
export async function searchPetitions(
  ctx: Context,
  _caller: Caller | null,
  query: SearchQuery & Preferring,
): Promise<SearchResults> {
  const { sort = 'relevance', limit = defaultLimit } = query;
  const filters = toFilters(query);
  const reading = sort === 'relevance' ? byRelevance(query.cursor) : bySort(sort, query.cursor);
  const { ids, cursors, ...beside } = await serve(ctx, async (db) => {
    const text = query.q?.trim() ?? '';
    const understood = understand(text, await languagesFor(ctx, db, query));
    if (text !== '' && understood.terms.length === 0) return nothing;
    const reader = { db, survey: surveyOf(ctx, db) };
    const result = await read(reader, understood, filters, reading, limit + 1);
    if (result.total > 0 || !(await isMisspelt(db, understood, filters))) return result;
    const mended = await mend(db, understood);
    if (!mended) return result;
    const corrected = await read(reader, mended, filters, reading, limit + 1);
    return { ...corrected, corrected: corrected.total > 0 };
  });
  const page = toPage(
    ids,
    limit,
    (last) => cursors.get(last)!,
    (id) => id,
  );
  const items = await listedPetitions(ctx, page.items);
  return { items, nextCursor: page.nextCursor, beside };
}

interface ReadResult {
  ids: string[];
  cursors: Map<string, string>;
  facets: Facets;
  facets_estimated: boolean;
  total: number;
  corrected: boolean;
}

const nothing: ReadResult = {
  ids: [],
  cursors: new Map(),
  facets: { status: [], category: [], country: [], tag: [] },
  facets_estimated: false,
  total: 0,
  corrected: false,
};

/** @throws {Problem} validation-failed for a country that is none */
function toFilters({ status, category, country, tag }: SearchQuery): string[] {
  if (country && !isCountry(country)) {
    throw invalidValue('country', 'This is no country of ISO 3166-1.');
  }
  return filterLexemes({
    status,
    category: category?.toLowerCase(),
    country: country?.toUpperCase(),
    tag: tag && tagKey(tag),
  }).map(quoted);
}

/** Where filters alone leave nothing, no word is at fault. */
const isMisspelt = async (db: Db, { words }: Understood, filters: string[]) =>
  words !== null && (filters.length === 0 || !(await queries.isAnywhere(db, words)));

/** How a result is read in an order: as a whole where it is small, else the page alone. */
interface Reading<Row extends { id: string }> {
  /** Whether a former page was of a result that was read so; else its size decides. */
  isSmall: boolean | undefined;
  whole(db: Db, match: Match, understood: Understood, limit: number): Promise<Whole<Row>>;
  page(db: Db, large: LargeMatch, limit: number): Promise<Row[]>;
  cursorOf(row: Row): string;
}

interface Whole<Row> {
  found: number;
  facets: Facets;
  page: Row[];
}

interface Reader {
  db: Db;
  survey: (match: Match) => Promise<Survey>;
}

/** Counts of large results, the dearest to make, are remembered for a second. */
const surveyOf = (ctx: Context, db: Db) => (match: Match) =>
  ctx.cache.read(
    'search-surveys',
    match ?? '',
    () => queries.survey(db, match),
    ({ found }) => found > mostSampled,
  );

interface LargeMatch extends Understood {
  match: Match;
  survey: Survey;
}

async function read<Row extends { id: string }>(
  { db, survey: surveyed }: Reader,
  understood: Understood,
  filters: string[],
  reading: Reading<Row>,
  limit: number,
): Promise<ReadResult> {
  const { words } = understood;
  const match = [...(words === null ? [] : [words]), ...filters].join(' & ') || null;
  const survey = await surveyed(match);
  const asResult = (
    rows: Row[],
    counts: Pick<ReadResult, 'facets' | 'facets_estimated' | 'total'>,
  ) => ({
    ids: rows.map(({ id }) => id),
    cursors: new Map(rows.map((row) => [row.id, reading.cursorOf(row)])),
    ...counts,
    corrected: false,
  });
  if (reading.isSmall ?? survey.found <= mostSampled) {
    const { page, facets, found } = await reading.whole(db, match, understood, limit);
    return asResult(page, { facets, facets_estimated: false, total: found });
  }
  const rows = await reading.page(db, { ...understood, match, survey }, limit);
  return asResult(rows, {
    facets: inAll(survey.facets),
    facets_estimated: true,
    total: survey.found * sampleShare,
  });
}

/** What is in all documents where the sample has so much. */
function inAll(facets: Facets): Facets {
  const entries = Object.entries(facets).map(([name, counts]) => [
    name,
    counts.map(({ value, count }) => ({ value, count: count * sampleShare })),
  ]);
  return Object.fromEntries(entries) as Facets;
}

function byRelevance(cursor: string | undefined): Reading<Position> {
  const after = decodePosition(cursor);
  return {
    isSmall: after ? after.phase === 'all' : undefined,
    async whole(db, match, { ranking }, limit) {
      const keys = after && [after.key, after.id];
      const { page, ...counts } = await queries.gatherRanked(db, match, ranking, keys, limit);
      const positionOf = ({ id, key }: Found): Position => ({
        phase: 'all',
        key: Number(key),
        id,
        after: start,
        upTo: end,
      });
      return { ...counts, page: page.map(positionOf) };
    },
    page: (db, { match, ranking, survey }, limit) =>
      readLarge(db, { match, ranking, manyTitles: survey.inTitle > mostSampled }, after, limit),
    cursorOf: encodePosition,
  };
}

const kinds = { recent: 'time', signatures: 'integer', trending: 'number' } as const;

function bySort(sort: PetitionSort, cursor: string | undefined): Reading<Found> {
  const list = `search.${sort}`;
  const after = decodeCursor(list, [kinds[sort], 'uuid'], cursor);
  const whole = (db: Db, match: Match, limit: number) =>
    queries.gatherSorted(db, match, sort, after, limit);
  return {
    isSmall: undefined,
    whole: (db, match, _, limit) => whole(db, match, limit),
    async page(db, { match }, limit) {
      const bounds = { budget: walkBudget, limit };
      const walked = await queries.walkSorted(db, match, sort, after, bounds);
      return walked.length >= limit ? walked : (await whole(db, match, limit)).page;
    },
    cursorOf: ({ id, key }) => encodeCursor(list, [key, id]),
  };
}

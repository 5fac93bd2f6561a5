import { listedPetitions, tagKey } from '../../campaigns/petitions/petitions.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import {
  decodeCursor,
  encodeCursor,
  toPage,
  type CursorKeys,
  type KeyKind,
  type Page,
} from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue } from '../../platform/problems.ts';
import { readDown } from './descending.ts';
import { filterLexemes, quoted, type SearchFilters } from './document.ts';
import { dayOf, knownBy, stepOfKnown, type Ladder } from './ladders.ts';
import * as queries from './queries.ts';
import {
  both,
  simply,
  within,
  type CommonFilters,
  type Facets,
  type Found,
  type Match,
  type PetitionSort,
} from './queries.ts';
import {
  decodePosition,
  encodePosition,
  positionIn,
  readLarge,
  type Position,
} from './relevance.ts';
import { sizeOf, survey, type Size } from './sample-queries.ts';
import type { SearchQuery } from './schema.ts';
import { serve } from './serving.ts';
import { complete, languagesFor, mend, understand, type Understood } from './understanding.ts';
import { isAnywhere } from './word-queries.ts';

export { suggestTitles } from './suggesting.ts';
export { similarPetitions } from './similar.ts';

/** Where a text comes from whose language is not named. */
export interface Preferring {
  acceptLanguage?: string | undefined;
}

export interface SearchResults extends Page<PetitionSummary> {
  beside: { facets: Facets; facets_estimated: boolean; total: number; corrected: boolean };
}

/** So many matches are fetched, ranked and counted in one go; of more, the sample tells how many there are. */
const mostCounted = 512;
/** Where a rough count tells of so many times as many, there are more than those. */
const surelyTimes = 3;
/** So many titles are ranked at once. */
const mostRanked = 500;
/**
 * A filter that so large a part of all documents meets is looked at in the rows that have the words: the index
 * would go through most of its long list for them.
 */
const mostIndexed = 1 / 4;

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
  const wanted = toFilters(query);
  const reading = sort === 'relevance' ? byRelevance(query.cursor) : bySort(sort, query.cursor);
  return serve(ctx, async (db) => {
    const text = query.q?.trim() ?? '';
    const typed = understand(text, await languagesFor(ctx, db, query));
    const understood = await complete(ctx, db, typed);
    if (text !== '' && understood.terms.length === 0) return nothing;
    const reader = { ctx, db, limit };
    const filters = await matchOf(reader, wanted, understood);
    const result = await read(reader, understood, filters, reading);
    if (result.beside.total > 0 || !(await isMisspelt(db, understood, wanted))) return result;
    const mended = await mend(db, understood);
    if (!mended) return result;
    const corrected = await read(reader, mended, filters, reading);
    corrected.beside.corrected = corrected.beside.total > 0;
    return corrected;
  });
}

const nothing: SearchResults = {
  items: [],
  nextCursor: null,
  beside: {
    facets: { status: [], category: [], country: [], tag: [] },
    facets_estimated: false,
    total: 0,
    corrected: false,
  },
};

/** @throws {Problem} validation-failed for a country that is none */
function toFilters({ status, category, country, tag }: SearchQuery): SearchFilters {
  if (country && !isCountry(country)) {
    throw invalidValue('country', 'This is no country of ISO 3166-1.');
  }
  return {
    status,
    category: category?.toLowerCase(),
    country: country?.toUpperCase(),
    tag: tag && tagKey(tag),
  };
}

/** The filters as they are looked up beside these words: those that many documents meet apart from others. */
async function matchOf(
  { ctx: { estimates }, db }: Reader,
  { tag, ...filters }: SearchFilters,
  { words }: Understood,
): Promise<Match> {
  const isCommon = async (filter: SearchFilters) => {
    const [lexeme] = lexemesOf(filter);
    if (words === null || lexeme === undefined) return false;
    const { found, of } = await estimates.read('search-filters', lexeme, () =>
      sizeOf(db, simply(lexeme)),
    );
    return found > of * mostIndexed;
  };
  const common: CommonFilters = {};
  const others: SearchFilters = { tag };
  await Promise.all(
    (['status', 'category', 'country'] as const).map(async (name) => {
      const isOne = await isCommon({ [name]: filters[name] });
      (isOne ? common : others)[name] = filters[name];
    }),
  );
  return { query: both(...lexemesOf(others)), common };
}

const lexemesOf = (filters: SearchFilters) => filterLexemes(filters).map(quoted);

/** Where filters alone leave nothing, no word is at fault. */
const isMisspelt = async (db: Db, { words }: Understood, filters: SearchFilters) =>
  words !== null && (filterLexemes(filters).length === 0 || !(await isAnywhere(db, words)));

/** How a result is read in an order: where it is small perhaps as a whole, else the page alone. */
interface Reading<Row extends { id: string }> {
  /** Whether a former page was of a result that was read as a whole; else its size decides. */
  isSmall?: boolean | undefined;
  whole?(db: Db, match: Match, understood: Understood, limit: number): Promise<Whole<Row>>;
  page(db: Db, large: Large, limit: number): Promise<Row[]>;
  cursorOf(row: Row): string;
}

interface Whole<Row> extends queries.Counted {
  page: Row[];
}

interface Reader {
  ctx: Context;
  db: Db;
  /** Of the page. */
  limit: number;
}

interface Large extends Understood {
  match: Match;
  filters: Match;
  size: Size;
}

/** How large a result is, roughly, and, what takes longer, what it consists of. Of large ones that is remembered. */
const sizeIn = ({ ctx: { estimates }, db }: Reader, match: Match) =>
  estimates.read('search-sizes', JSON.stringify(match), () => sizeOf(db, match), isLarge);
const surveyIn = ({ ctx: { estimates }, db }: Reader, match: Match, roughly: Size) =>
  estimates.read(
    'search-surveys',
    JSON.stringify(match),
    () => survey(db, match, roughly),
    isLarge,
  );
const isLarge = ({ found }: Size) => found > mostCounted;

/** A page of a result. Of a large one it is read and written out while all is counted. */
async function read<Row extends { id: string }>(
  reader: Reader,
  understood: Understood,
  filters: Match,
  reading: Reading<Row>,
): Promise<SearchResults> {
  const { ctx, db, limit } = reader;
  const match = within(filters, understood.words);
  const pageOf = async (rows: Row[]): Promise<Page<PetitionSummary>> => {
    const { items, nextCursor } = toPage(
      rows,
      limit,
      (last) => reading.cursorOf(last),
      ({ id }) => id,
    );
    return { items: await listedPetitions(ctx, items), nextCursor };
  };
  const roughly = await sizeIn(reader, match);
  const surveyed = surveyIn(reader, match, roughly);
  // A page that follows one of a small result does not wait for it.
  surveyed.catch(() => {});
  const size = roughly.found > surelyTimes * mostCounted ? roughly : await surveyed;
  if (reading.whole && (reading.isSmall ?? !isLarge(size))) {
    const { page, ...counts } = await reading.whole(db, match, understood, limit + 1);
    return { ...(await pageOf(page)), beside: { ...exact(counts), corrected: false } };
  }
  const large = { ...understood, match, filters, size };
  const [page, counts] = await Promise.all([
    reading.page(db, large, limit + 1).then(pageOf),
    surveyed.then((told) =>
      isLarge(told)
        ? { facets: told.facets, facets_estimated: true, total: told.found }
        : queries.countAll(db, match).then(exact),
    ),
  ]);
  return { ...page, beside: { ...counts, corrected: false } };
}

type Counts = Omit<SearchResults['beside'], 'corrected'>;

const exact = ({ found, facets }: queries.Counted): Counts => ({
  facets,
  facets_estimated: false,
  total: found,
});

function byRelevance(cursor: string | undefined): Reading<Position> {
  const after = decodePosition(cursor);
  return {
    isSmall: after ? after.phase === 'all' : undefined,
    async whole(db, match, { ranking }, limit) {
      const keys = after && [after.key, after.id];
      const { page, ...counts } = await queries.gatherRanked(db, match, ranking, keys, limit);
      return { ...counts, page: page.map(positionIn('all')) };
    },
    page: (db, large, limit) => readLarge(db, { ...large, mostRanked }, after, limit),
    cursorOf: encodePosition,
  };
}

/** How petitions stand in an order of their own, and on which ladder that order goes down. */
const sorts: Record<PetitionSort, Sort> = {
  recent: { key: 'time', ladder: 'day', rungOf: (key) => dayOf(new Date(key)) },
  // Documents follow signing with a little delay: what stands one step too high is looked for there.
  signatures: {
    key: 'integer',
    ladder: 'known',
    step: stepOfKnown,
    rungOf: (key) => knownBy(Number(key)) + stepOfKnown,
  },
  trending: { key: 'number', ladder: 'trend', rungOf: (key) => Math.floor(Number(key)) + 1 },
};

interface Sort {
  key: KeyKind;
  ladder: Ladder;
  step?: number;
  /** The highest rung on which a petition with this key may stand. */
  rungOf: (key: CursorKeys[number]) => number;
}

function bySort(sort: PetitionSort, cursor: string | undefined): Reading<Found> {
  const list = `search.${sort}`;
  const { key, rungOf, ...descent } = sorts[sort];
  const after = decodeCursor(list, [key, 'uuid'], cursor);
  return {
    page: (db, { match, size }, limit) =>
      readDown(db, match, {
        ...descent,
        size,
        after: after && { rung: rungOf(after[0]!), keys: after },
        limit,
        read: (stretch, keys, wanted) =>
          queries.readSorted(db, match, sort, { ladder: descent.ladder, ...stretch }, keys, wanted),
        walk: (keys, bounds) => queries.walkSorted(db, match, sort, keys, bounds),
      }),
    cursorOf: ({ id, key: at }) => encodeCursor(list, [at, id]),
  };
}

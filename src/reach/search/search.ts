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
import { filterLexemes, quoted } from './document.ts';
import { dayOf, knownBy, stepOfKnown, type Ladder } from './ladders.ts';
import * as queries from './queries.ts';
import { both, type Facets, type Found, type Match, type PetitionSort } from './queries.ts';
import {
  decodePosition,
  encodePosition,
  positionIn,
  readLarge,
  type Position,
} from './relevance.ts';
import { sampleShare, sizeOf, survey, type Size, type Survey } from './sample-queries.ts';
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

/** Documents of the sample that a result may have to be counted as a whole. */
const mostCounted = 24;
/** And to be fetched, ranked and counted in one go. */
const mostInOneGo = 6;
/** Where a part of the sample tells of so many times as many, there are more than those. */
const surelyTimes = 2.5;
/** And of a large result those with the words in the title. */
const mostSampledTitles = 10;

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
  return serve(ctx, async (db) => {
    const text = query.q?.trim() ?? '';
    const typed = understand(text, await languagesFor(ctx, db, query));
    const understood = await complete(ctx, db, typed);
    if (text !== '' && understood.terms.length === 0) return nothing;
    const reader = { ctx, db, limit };
    const result = await read(reader, understood, filters, reading);
    if (result.beside.total > 0 || !(await isMisspelt(db, understood, filters))) return result;
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
  words !== null && (filters.length === 0 || !(await isAnywhere(db, words)));

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
  /** Of all documents, about how many match: 0 to 1. */
  share: number;
}

/** How large a result is, and, what takes longer, what it consists of. Of large ones that is remembered. */
const sizeIn = ({ ctx: { estimates }, db }: Reader, match: Match) =>
  estimates.read('search-sizes', match ?? '', () => sizeOf(db, match), isLarge);
const surveyIn = ({ ctx: { estimates }, db }: Reader, match: Match) =>
  estimates.read('search-surveys', match ?? '', () => survey(db, match), isLarge);
const isLarge = ({ found }: Size) => found > mostCounted;

/**
 * A page of a result. A small one is fetched, ranked and counted in one go, and a larger one of several
 * conditions, where most of the time goes into finding what meets them all. Of others the page is read and
 * written out while all is counted.
 */
async function read<Row extends { id: string }>(
  reader: Reader,
  understood: Understood,
  filters: string[],
  reading: Reading<Row>,
): Promise<SearchResults> {
  const { ctx, db, limit } = reader;
  const match = both(understood.words, ...filters);
  const pageOf = async (rows: Row[]): Promise<Page<PetitionSummary>> => {
    const { items, nextCursor } = toPage(
      rows,
      limit,
      (last) => reading.cursorOf(last),
      ({ id }) => id,
    );
    return { items: await listedPetitions(ctx, items), nextCursor };
  };
  const surveyed = surveyIn(reader, match);
  // Where the size cannot be told, that is the failure.
  surveyed.catch(() => {});
  const isManifold = understood.terms.length + filters.length > 1;
  const most = isManifold ? mostCounted : mostInOneGo;
  const roughly = await sizeIn(reader, match);
  const { found, of } = roughly.found > surelyTimes * most ? roughly : await surveyed;
  const isSmall = found <= most;
  if (reading.whole && (reading.isSmall ?? isSmall)) {
    const { page, ...counts } = await reading.whole(db, match, understood, limit + 1);
    return { ...(await pageOf(page)), beside: { ...exact(counts), corrected: false } };
  }
  const share = of === 0 ? 0 : found / of;
  const large = { ...understood, match, filters: both(...filters), share };
  const [page, counts] = await Promise.all([
    reading.page(db, large, limit + 1).then(pageOf),
    surveyed.then((told) =>
      isLarge(told) ? inAll(told) : queries.countAll(db, match).then(exact),
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

/** What is in all documents where the sample has so much. */
function inAll({ found, facets, facetShare }: Survey): Counts {
  const entries = Object.entries(facets).map(([name, counts]) => [
    name,
    counts.map(({ value, count }) => ({ value, count: count * facetShare })),
  ]);
  return {
    facets: Object.fromEntries(entries) as Facets,
    facets_estimated: true,
    total: found * sampleShare,
  };
}

function byRelevance(cursor: string | undefined): Reading<Position> {
  const after = decodePosition(cursor);
  return {
    isSmall: after ? after.phase === 'all' : undefined,
    async whole(db, match, { ranking }, limit) {
      const keys = after && [after.key, after.id];
      const { page, ...counts } = await queries.gatherRanked(db, match, ranking, keys, limit);
      return { ...counts, page: page.map(positionIn('all')) };
    },
    page: (db, large, limit) =>
      readLarge(db, { ...large, mostSampled: mostSampledTitles }, after, limit),
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
    page: (db, { match, share }, limit) =>
      readDown(db, match, {
        ...descent,
        share,
        after: after && { rung: rungOf(after[0]!), keys: after },
        limit,
        read: (stretch, keys, wanted) =>
          queries.readSorted(db, match, sort, { ladder: descent.ladder, ...stretch }, keys, wanted),
        walk: (keys, bounds) => queries.walkSorted(db, match, sort, keys, bounds),
      }),
    cursorOf: ({ id, key: at }) => encodeCursor(list, [at, id]),
  };
}

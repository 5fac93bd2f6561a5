import { listedPetitions } from '../../campaigns/petitions/read.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
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
import { complete } from './completing.ts';
import { readByRanges } from './range-walk.ts';
import type { SearchFilters } from './document.ts';
import { sampleIn, sizeIn, surveyIn } from './estimating.ts';
import type { Counted, Facets } from './facets.ts';
import { lexemesOf, partFilters, toFilters, type Filtered } from './filtering.ts';
import { dayOf, knownBy, stepOfKnown, type SortAxis } from './sort-axes.ts';
import { correctSpelling } from './spelling.ts';
import * as queries from './queries.ts';
import { within, type Found, type Match, type PetitionSort } from './queries.ts';
import {
  decodePosition,
  encodePosition,
  positionIn,
  readLarge,
  type Position,
} from './relevance.ts';
import type { Extent } from './sample-queries.ts';
import type { SearchQuery } from './schema.ts';
import { serve } from './serving.ts';
import { languagesFor, analyzeQuery, type AnalyzedQuery } from './query-analysis.ts';
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

/**
 * So many rows are looked at to rank and count a result in one go; of larger ones the sample tells what they consist
 * of. Fewer of many documents, whose rows lie in memory that nobody has touched of late.
 */
const mostCounted = (documents: number): number =>
  Math.min(Math.max(256_000_000 / documents, 256), 1024);
/** Rows that are looked at for one match at most. */
const mostForOne = 2;
/**
 * So many documents in the index, where its lists of words and of a filter are gone through together, take as long as
 * a row.
 */
const inIndexForRow = 20;

/** Whether it takes long to look at all that match. */
function areMany({ found, fetched, sample }: Extent, { share, lookedUpShare }: Filtered): boolean {
  const most = mostCounted(sample.of);
  const withWords = found / share;
  const inIndex = lookedUpShare < 1 ? Math.min(withWords, lookedUpShare * sample.of) : 0;
  return found + inIndex / inIndexForRow > most || fetched > most * mostForOne;
}

/** So many titles are ranked at once. */
const mostRanked = 600;

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
    const typed = analyzeQuery(text, await languagesFor(ctx, db, query));
    if (text !== '' && typed.terms.length === 0) return nothing;
    const reader = { ctx, db, limit };
    const filtered = await partFilters(ctx, db, wanted, typed.words);
    const { understood, size } = await complete(ctx, db, typed, filtered);
    const isUnlikely = understood.isUnheardOf && size === 0;
    const mending = isUnlikely ? correctSpelling(db, understood) : undefined;
    // Who finds what was typed does not wait for it.
    mending?.catch(() => {});
    const result = await read(reader, { understood, filtered, size }, reading);
    if (result.beside.total > 0 || !(await isMisspelt(db, understood, wanted))) return result;
    const mended = await (mending ?? correctSpelling(db, understood));
    if (!mended) return result;
    const mendedSize = await sizeIn(ctx, db, within(filtered.filters, mended.words));
    const corrected = await read(
      reader,
      { understood: mended, filtered, size: mendedSize },
      reading,
    );
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

/** Where filters alone leave nothing, no word is at fault. */
const isMisspelt = async (db: Db, { words }: AnalyzedQuery, filters: SearchFilters) =>
  words.length > 0 && (lexemesOf(filters).length === 0 || !(await isAnywhere(db, words)));

/** How a result is read in an order: where it is small perhaps as a whole, else the page alone. */
interface Reading<Row extends { id: string }> {
  /** Whether a former page was of a result that was not read as a whole; else its size decides. */
  isLarge?: boolean | undefined;
  whole?(db: Db, match: Match, understood: AnalyzedQuery, limit: number): Promise<Whole<Row>>;
  page(db: Db, large: Large, limit: number): Promise<Row[]>;
  cursorOf(row: Row): string;
}

interface Whole<Row> extends Counted {
  page: Row[];
}

interface Reader {
  ctx: Context;
  db: Db;
  /** Of the page. */
  limit: number;
}

interface Large extends AnalyzedQuery {
  match: Match;
  filters: Match;
  extent: Extent;
}

/** What is wanted, and roughly how many meet that. */
interface Wanted {
  understood: AnalyzedQuery;
  filtered: Filtered;
  size: number;
}

/** A page of a result. Of a large one it is read and written out while all is counted. */
async function read<Row extends { id: string }>(
  { ctx, db, limit }: Reader,
  { understood, filtered, size }: Wanted,
  reading: Reading<Row>,
): Promise<SearchResults> {
  const { filters, commonShare } = filtered;
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
  const extent = { found: size, fetched: size / commonShare, sample: await sampleIn(ctx, db) };
  const isLarge = areMany(extent, filtered);
  if (reading.whole && !(reading.isLarge ?? isLarge)) {
    const { page, ...counts } = await reading.whole(db, match, understood, limit + 1);
    return { ...(await pageOf(page)), beside: { ...exact(counts), corrected: false } };
  }
  const [page, counts] = await Promise.all([
    reading.page(db, { ...understood, match, filters, extent }, limit + 1).then(pageOf),
    isLarge
      ? surveyIn(ctx, db, match, extent).then(estimated)
      : queries.countAll(db, match).then(exact),
  ]);
  return { ...page, beside: { ...counts, corrected: false } };
}

type Counts = Omit<SearchResults['beside'], 'corrected'>;

const exact = ({ found, facets }: Counted): Counts => ({
  facets,
  facets_estimated: false,
  total: found,
});

const estimated = (counted: Counted): Counts => ({
  ...exact(counted),
  facets_estimated: true,
});

function byRelevance(cursor: string | undefined): Reading<Position> {
  const after = decodePosition(cursor);
  return {
    isLarge: after ? after.phase !== 'all' : undefined,
    async whole(db, match, { ranking }, limit) {
      const keys = after && [after.key, after.id];
      const { page, ...counts } = await queries.gatherRanked(db, match, ranking, keys, limit);
      return { ...counts, page: page.map(positionIn('all')) };
    },
    page: (db, large, limit) => readLarge(db, { ...large, mostRanked }, after, limit),
    cursorOf: encodePosition,
  };
}

/** So many are looked up for a page, rather than to ask for some of them. */
const mostAtOnce = 500;

/** How petitions stand in an order of their own, and on which axis that order goes down. */
const sorts: Record<PetitionSort, Sort> = {
  recent: { key: 'time', axis: 'day', rungOf: (key) => dayOf(new Date(key)) },
  // Documents follow signing with a little delay: what stands one step too high is looked for there.
  signatures: {
    key: 'integer',
    axis: 'known',
    step: stepOfKnown,
    rungOf: (key) => knownBy(Number(key)) + stepOfKnown,
  },
  trending: { key: 'number', axis: 'trend', rungOf: (key) => Math.floor(Number(key)) + 1 },
};

interface Sort {
  key: KeyKind;
  axis: SortAxis;
  step?: number;
  /** The highest bucket on which a petition with this key may stand. */
  rungOf: (key: CursorKeys[number]) => number;
}

function bySort(sort: PetitionSort, cursor: string | undefined): Reading<Found> {
  const list = `search.${sort}`;
  const { key, rungOf, ...descent } = sorts[sort];
  const after = decodeCursor(list, [key, 'uuid'], cursor);
  return {
    page: (db, { match, extent }, limit) =>
      readByRanges(db, match, {
        ...descent,
        extent,
        mostAtOnce,
        after: after && { bucket: rungOf(after[0]!), keys: after },
        limit,
        read: (range, keys, wanted) =>
          queries.readSorted(db, match, sort, { axis: descent.axis, ...range }, keys, wanted),
        walk: (keys, bounds) => queries.walkSorted(db, match, sort, keys, bounds),
      }),
    cursorOf: ({ id, key: at }) => encodeCursor(list, [at, id]),
  };
}

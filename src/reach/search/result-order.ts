import { decodeCursor, encodeCursor, type KeyKind } from '../../platform/cursor.ts';
import type { SearchSort } from './schema.ts';

/** PostgreSQL's largest integer, above every bucket. */
export const maxInteger = 2 ** 31 - 1;

/** In which order a result is read, and behind which petition the page begins. */
export type ResultOrder = RelevanceOrder | ColumnOrder;

/** Where a petition is in an order: by its key, then by its id, both descending. */
export interface Position {
  key: number | string;
  id: string;
}

/** By how well petitions fit and how well known they are. */
export interface RelevanceOrder {
  sort: 'relevance';
  after: (Position & RankedTogether) | null;
}

/** Petitions whose keys compare. */
export interface RankedTogether {
  /** `all`: of a result that was read as a whole. Of a large one: `titles`, then the `rest`. */
  phase: 'all' | 'titles' | 'rest';
  /** Buckets of the titles that are ranked together, from `high` down to `low`. */
  high: number;
  low: number;
}

/**
 * By a column of petitions. Documents have it roughly, as a bucket: a whole number that grows with the key, so that
 * signing seldom changes it.
 */
export interface ColumnOrder {
  sort: Exclude<SearchSort, 'relevance'>;
  column: 'sort_at' | 'sort_count' | 'sort_trend';
  /** The highest bucket that a document of this key can have. Documents follow signing a moment later. */
  maxBucketOf: (key: string | number) => number;
  after: Position | null;
}

/** @throws {Problem} invalid-request if the cursor is malformed or of another order */
export const orderOf = (sort: SearchSort, cursor: string | undefined): ResultOrder =>
  sort === 'relevance' ? byRelevance(cursor) : bySort(sort, cursor);

const relevanceKeyKinds: KeyKind[] = ['text', 'integer', 'uuid', 'integer', 'integer'];

export function byRelevance(cursor: string | undefined): RelevanceOrder {
  const keys = decodeCursor('search.relevance', relevanceKeyKinds, cursor);
  if (!keys) return { sort: 'relevance', after: null };
  const [phase, key, id, high, low] = keys as [
    RankedTogether['phase'],
    ...[key: number, id: string, high: number, low: number],
  ];
  return { sort: 'relevance', after: { phase, key, id, high, low } };
}

const millisecondsOfDay = 86_400_000;

const columns = {
  recent: {
    column: 'sort_at',
    keyKind: 'time',
    maxBucketOf: (key) => Math.max(Math.floor(Date.parse(String(key)) / millisecondsOfDay), 0),
  },
  signatures: {
    column: 'sort_count',
    keyKind: 'integer',
    maxBucketOf: (key) => Math.floor(2 * Math.log2(1 + Math.max(Number(key), 0))) + 1,
  },
  trending: {
    column: 'sort_trend',
    keyKind: 'number',
    maxBucketOf: (key) => Math.min(Math.floor(Number(key)) + 1, maxInteger),
  },
} satisfies Record<
  ColumnOrder['sort'],
  Pick<ColumnOrder, 'column' | 'maxBucketOf'> & { keyKind: KeyKind }
>;

export function bySort(sort: ColumnOrder['sort'], cursor: string | undefined): ColumnOrder {
  const { column, keyKind, maxBucketOf } = columns[sort];
  const keys = decodeCursor(`search.${sort}`, [keyKind, 'uuid'], cursor);
  const after = keys && { key: keys[0]!, id: String(keys[1]) };
  return { sort, column, maxBucketOf, after };
}

/** A petition of a page, and the cursor behind it. */
export interface ResultRow {
  id: string;
  cursor: string;
}

const wholeResult: RankedTogether = { phase: 'all', high: maxInteger, low: 0 };

/** Rows of petitions; by relevance, with what was ranked together. */
export function toRows(
  { sort }: ResultOrder,
  positions: readonly Position[],
  { phase, high, low } = wholeResult,
): ResultRow[] {
  return positions.map(({ key, id }) => ({
    id,
    cursor: encodeCursor(
      `search.${sort}`,
      sort === 'relevance' ? [phase, key, id, high, low] : [key, id],
    ),
  }));
}

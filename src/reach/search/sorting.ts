import { decodeCursor, encodeCursor, type KeyKind } from '../../platform/cursor.ts';
import { planScans } from './cost-model.ts';
import * as queries from './queries.ts';
import type { Found, SortOrder } from './queries.ts';
import type { ResultOrder, ResultRow } from './result-order.ts';
import type { SearchSort } from './schema.ts';

const millisecondsOfDay = 86_400_000;

const sortOrders: Record<Exclude<SearchSort, 'relevance'>, SortOrder & { keyKind: KeyKind }> = {
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
    maxBucketOf: (key) => Math.min(Math.floor(Number(key)) + 1, queries.maxInteger),
  },
};

/** An order by a column of petitions. */
export function bySort(sort: keyof typeof sortOrders, cursor: string | undefined): ResultOrder {
  const list = `search.${sort}`;
  const order = sortOrders[sort];
  const after = decodeCursor(list, [order.keyKind, 'uuid'], cursor);
  const toRow = ({ id, key }: Found): ResultRow => ({ id, cursor: encodeCursor(list, [key, id]) });
  return {
    isLarge: undefined,
    async readExact(db, { match, limit }) {
      const { page, groups } = await queries.readExactSorted(db, order, { match, after, limit });
      return { rows: page.map(toRow), groups };
    },
    async readPage(db, { match, size, limit }) {
      const estimates = {
        matches: size.total,
        documents: size.documents,
        bestKnown: sort === 'signatures' ? size.bestKnown : 0,
      };
      const found = await queries.readFirst(planScans(estimates, limit, order.column), (scan) =>
        queries.readSorted(db, order, { match, after, limit }, scan),
      );
      return found.map(toRow);
    },
  };
}

import { encodeCursor, type CursorKeys } from '../../src/platform/cursor.ts';
import type { Pool } from '../../src/platform/db.ts';
import type { PageQuery } from './plans.ts';

/** A list whose pages are measured. */
export interface List {
  name: string;
  page: PageQuery;
  /** Path of its first page. */
  path: string;
  /** Its name in cursors. */
  cursor: string;
  /** SQL of the keys in its cursors, in the order of the list. */
  keys: string;
  /** Its intended index. */
  index: string;
}

/** Every list with its own sort key, with its largest filter. */
export async function listsOf(db: Pool, limit: number): Promise<List[]> {
  const [category] = await db`
    select category_id as id from petitions where listed
    group by category_id order by count(*) desc limit 1`;
  const [largest] = await db`
    select id, slug from petitions where listed order by sort_count desc limit 1`;
  return [
    petitions('petitions, recent', 'recent', {}, 'petitions_listed_by_time', limit),
    petitions('petitions, popular', 'popular', {}, 'petitions_listed_by_count', limit),
    petitions('petitions, trending', 'trending', {}, 'petitions_listed_by_trend', limit),
    petitions(
      'petitions of a category, recent',
      'recent',
      { categoryId: category!.id as string },
      'petitions_recent_by_category',
      limit,
    ),
    petitions(
      'petitions that are closed, recent',
      'recent',
      { status: 'closed' },
      'petitions_recent_by_status',
      limit,
    ),
    {
      name: 'signatures of one petition',
      page: { signaturesOf: largest!.slug as string, query: { limit } },
      path: `/v1/petitions/${largest!.slug}/signatures?limit=${limit}`,
      cursor: 'signatures',
      keys: `select id from signatures where petition_id = '${largest!.id}' order by id desc`,
      index: 'signatures_pkey',
    },
  ];
}

const sortKeys = {
  recent: ['sort_at', `to_char(sort_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`],
  popular: ['sort_count', 'sort_count'],
  trending: ['sort_trend', 'sort_trend'],
} as const;

function petitions(
  name: string,
  sort: keyof typeof sortKeys,
  filter: { categoryId?: string; status?: 'closed' },
  index: string,
  limit: number,
): List {
  const [key, written] = sortKeys[sort];
  const query = { ...filter, sort, limit: String(limit) };
  return {
    name,
    page: { petitions: { ...filter, sort, limit } },
    path: `/v1/petitions?${new URLSearchParams(query).toString()}`,
    cursor: sort,
    // Cursors of trending also have promoted petitions, of which there are none.
    keys: `select ${written}, id ${sort === 'trending' ? ", ''" : ''} from petitions where listed
      ${filter.categoryId ? `and category_id = '${filter.categoryId}'` : ''}
      ${filter.status ? `and status = '${filter.status}'` : ''}
      order by ${key} desc, id desc`,
    index,
  };
}

/** Cursors of consecutive pages: the keys of the row before each. */
export async function cursorsTo(
  db: Pool,
  { name, cursor, keys }: List,
  pages: { from: number; howMany: number; limit: number },
): Promise<string[]> {
  const { from, howMany, limit } = pages;
  const rows = await db.unsafe(
    `select * from (${keys} offset ${(from - 1) * limit - 1}) deep limit ${howMany * limit}`,
  );
  if (rows.length < howMany * limit) throw new Error(`There are too few ${name}.`);
  return rows
    .filter((_, n) => n % limit === 0)
    .map((row) => encodeCursor(cursor, Object.values(row) as CursorKeys));
}

import { listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { publishedStatuses } from '../../campaigns/petitions/schema.ts';
import type { SearchQuery } from '../../reach/search/schema.ts';

type BrowseSort = NonNullable<SearchQuery['sort']>;
/** In the order in which the page offers them. */
const sorts: readonly BrowseSort[] = ['relevance', 'trending', 'recent', 'signatures'];

/** The query of the page; unknown filters and orders are ignored. */
export interface BrowseQuery {
  q: string;
  status: SearchQuery['status'];
  category: Category | undefined;
  country: string | undefined;
  tag: string | undefined;
  sort: BrowseSort;
  cursor: string | undefined;
}

export const filters = ['status', 'category', 'country', 'tag'] as const;
export type Filter = (typeof filters)[number];

export async function readQuery(
  ctx: Context,
  params: Record<string, string>,
): Promise<BrowseQuery> {
  const q = (params.q ?? '').trim().slice(0, 200);
  const country = params.country?.toUpperCase();
  const categories = params.category ? await listCategories(ctx) : [];
  return {
    q,
    status: publishedStatuses.find((one) => one === params.status),
    category: categories.find(({ id, slug }) => [id, slug].includes(params.category!)),
    country: country && isCountry(country) ? country : undefined,
    tag: params.tag?.trim().slice(0, 50) || undefined,
    sort: sorts.find((one) => one === params.sort && isSortOf(one, q)) ?? defaultSort(q),
    cursor: params.cursor || undefined,
  };
}

const defaultSort = (q: string): BrowseSort => (q === '' ? 'trending' : 'relevance');

/** Results without words have no relevance. */
const isSortOf = (sort: BrowseSort, q: string) => sort !== 'relevance' || q !== '';

/** Orders that the page offers. */
export const sortsFor = ({ q }: BrowseQuery): BrowseSort[] =>
  sorts.filter((one) => isSortOf(one, q));

/** The address of the page for this query with changes. */
export function addressOf(
  { q, status, category, country, tag, sort }: BrowseQuery,
  changes: Partial<Record<Filter | 'sort', string | null>> = {},
): string {
  const all = {
    q,
    status,
    category: category?.slug,
    country,
    tag,
    sort: sort === defaultSort(q) ? undefined : sort,
    ...changes,
  };
  const entries = Object.entries(all).filter((one): one is [string, string] => Boolean(one[1]));
  return entries.length > 0
    ? `/petitions?${new URLSearchParams(entries).toString()}`
    : '/petitions';
}

import { listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { publishedStatuses } from '../../campaigns/petitions/schema.ts';
import type { SearchQuery } from '../../reach/search/schema.ts';

type BrowseSort = NonNullable<SearchQuery['sort']>;
/** In the order in which they are offered. */
const sorts: readonly BrowseSort[] = ['relevance', 'trending', 'recent', 'signatures'];

/** What somebody looks for. Filters that are none are passed over, as is an order that is none. */
export interface Asked {
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

export async function readAsked(ctx: Context, query: Record<string, string>): Promise<Asked> {
  const q = (query.q ?? '').trim().slice(0, 200);
  const country = query.country?.toUpperCase();
  const categories = query.category ? await listCategories(ctx) : [];
  return {
    q,
    status: publishedStatuses.find((one) => one === query.status),
    category: categories.find(({ id, slug }) => [id, slug].includes(query.category!)),
    country: country && isCountry(country) ? country : undefined,
    tag: query.tag?.trim().slice(0, 50) || undefined,
    sort: sorts.find((one) => one === query.sort && isSortOf(one, q)) ?? defaultSort(q),
    cursor: query.cursor || undefined,
  };
}

const defaultSort = (q: string): BrowseSort => (q === '' ? 'trending' : 'relevance');

/** Without words nothing fits better than anything else. */
const isSortOf = (sort: BrowseSort, q: string) => sort !== 'relevance' || q !== '';

/** Orders to choose from. */
export const sortsFor = ({ q }: Asked): BrowseSort[] => sorts.filter((one) => isSortOf(one, q));

/** The address that asks for the same, but for what is changed. */
export function addressOf(
  { q, status, category, country, tag, sort }: Asked,
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
  const given = Object.entries(all).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length > 0 ? `/petitions?${new URLSearchParams(given).toString()}` : '/petitions';
}

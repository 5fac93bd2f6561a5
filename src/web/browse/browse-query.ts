import { findCategory, listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import { isCountry } from '../../platform/countries.ts';
import { publishedStatuses, type PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Page } from '../../platform/cursor.ts';
import { searchPetitions } from '../../reach/search/search.ts';
import type { SearchQuery } from '../../reach/search/schema.ts';
import { omitEmpty, type View } from '../site/site.ts';

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
  { ctx, language }: Pick<View, 'ctx' | 'language'>,
  params: Record<string, string>,
): Promise<BrowseQuery> {
  const q = (params.q ?? '').trim().slice(0, 200);
  const country = params.country?.toUpperCase();
  return {
    q,
    status: publishedStatuses.find((status) => status === params.status),
    category: params.category ? await findCategory(ctx, params.category, language) : undefined,
    country: country && isCountry(country) ? country : undefined,
    tag: params.tag?.trim().slice(0, 50) || undefined,
    sort: sorts.find((sort) => sort === params.sort && isSortOf(sort, q)) ?? defaultSort(q),
    cursor: params.cursor || undefined,
  };
}

const defaultSort = (q: string): BrowseSort => (q === '' ? 'trending' : 'relevance');

/** Results without words have no relevance. */
const isSortOf = (sort: BrowseSort, q: string) => sort !== 'relevance' || q !== '';

/** Orders that the page offers. */
export const sortsFor = ({ q }: BrowseQuery): BrowseSort[] =>
  sorts.filter((sort) => isSortOf(sort, q));

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
  const set = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return set.length > 0 ? `/petitions?${new URLSearchParams(set).toString()}` : '/petitions';
}

/** Petitions that were found, with counts by filter. */
export interface BrowseResult {
  page: Page<PetitionSummary>;
  total: number;
  /** The counts are estimates. */
  estimated: boolean;
  /** The spelling of the query was corrected. */
  corrected: boolean;
  facets: Record<Filter, { value: string; count: number }[]>;
}

/** A page of the petitions that match the query. */
export async function findPetitions(view: View, query: BrowseQuery): Promise<BrowseResult> {
  const { q, status, category, country, tag, sort, cursor } = query;
  const { items, nextCursor, beside } = await searchPetitions(view.ctx, {
    ...omitEmpty({ q, status, category: category?.id, country, tag, cursor }),
    sort,
    limit: 18,
    acceptLanguage: view.language,
  });
  return {
    page: { items, nextCursor },
    total: beside.total,
    estimated: beside.facets_estimated,
    corrected: beside.corrected,
    facets: {
      ...beside.facets,
      category: bySlug(beside.facets.category, await listCategories(view.ctx)),
    },
  };
}

/** Counts by the slugs of categories instead of their ids. */
const bySlug = (counts: BrowseResult['facets']['category'], categories: Category[]) =>
  counts.flatMap(({ value, count }) => {
    const category = categories.find(({ id }) => id === value);
    return category ? [{ value: category.slug, count }] : [];
  });

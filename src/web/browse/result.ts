import { listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Page } from '../../platform/cursor.ts';
import { searchPetitions } from '../../reach/search/search.ts';
import { omitEmpty, type View } from '../site/site.ts';
import type { BrowseQuery, Filter } from './browse-query.ts';

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

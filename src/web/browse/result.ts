import { listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import type { Page } from '../../platform/cursor.ts';
import { searchPetitions } from '../../reach/search/search.ts';
import { callerOf, given, type View } from '../site/site.ts';
import type { Asked, Filter } from './asked.ts';

/** What was found, and what it consists of. */
export interface Found {
  page: Page<PetitionSummary>;
  total: number;
  /** The numbers are estimates. */
  estimated: boolean;
  /** Words were taken for others that are written alike. */
  corrected: boolean;
  facets: Record<Filter, { value: string; count: number }[]>;
}

/** A page of the petitions that are asked for. */
export async function findPetitions(view: View, asked: Asked): Promise<Found> {
  const { q, status, category, country, tag, sort, cursor } = asked;
  const { items, nextCursor, beside } = await searchPetitions(view.ctx, callerOf(view), {
    ...given({ q, status, category: category?.id, country, tag, cursor }),
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

/** Categories as addresses name them. */
const bySlug = (counts: Found['facets']['category'], categories: Category[]) =>
  counts.flatMap(({ value, count }) => {
    const category = categories.find(({ id }) => id === value);
    return category ? [{ value: category.slug, count }] : [];
  });

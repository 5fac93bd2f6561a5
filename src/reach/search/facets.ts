export interface FacetCount {
  value: string;
  count: number;
}
export type FacetName = 'status' | 'category' | 'country' | 'tag';
export type Facets = Record<FacetName, FacetCount[]>;

/** So many values of a facet are told, the most frequent. */
export const maxFacetValues: Record<FacetName, number> = {
  status: 10,
  category: 100,
  country: 50,
  tag: 20,
};

/** So many documents with a value, or without any, or in all. */
export interface Group {
  facet: 'all' | FacetName;
  value: string | null;
  count: number;
}

/** How many documents there are, and of which kinds. */
export interface Counted {
  found: number;
  facets: Facets;
}

/** The counts of groups that are in no order: all, and the most frequent values of each facet. */
export function toCounted(groups: readonly Group[]): Counted {
  const told = (name: FacetName): FacetCount[] =>
    groups
      .flatMap(({ facet, value, count }) =>
        facet === name && value !== null ? [{ value, count }] : [],
      )
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, maxFacetValues[name]);
  return {
    found: groups.find(({ facet }) => facet === 'all')?.count ?? 0,
    facets: {
      status: told('status'),
      category: told('category'),
      country: told('country'),
      tag: told('tag'),
    },
  };
}

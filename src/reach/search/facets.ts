import type { Db, Query } from '../../platform/db.ts';
import type { Facets } from './schema.ts';

type FacetName = keyof Facets;

/** The most frequent values of each facet are shown. */
const maxFacetValues: Record<FacetName, number> = {
  status: 10,
  category: 100,
  country: 50,
  tag: 20,
};

/** Documents with one value of a facet; value null: without one; `all`: all documents. */
export interface FacetGroup {
  facet: 'all' | FacetName;
  value: string | null;
  count: number;
}

/** A total and its facets. */
export interface Counts {
  total: number;
  facets: Facets;
}

/** Facet groups of the rows as JSON. */
export const facetGroups = (db: Db, rows: Query): Query => db`(
  select json_agg(g) from (
    select
      case grouping(status, category_id, country)
        when 3 then 'status' when 5 then 'category' when 6 then 'country' else 'all'
      end as facet,
      coalesce(status, category_id::text, country) as value, count(*)::integer as count
    from ${rows} group by grouping sets ((), (status), (category_id), (country))
    union all (
      select 'tag', tag, count(*)::integer
      from (select unnest(tag_keys) as tag from ${rows}) t
      group by tag order by 3 desc, 2 limit ${maxFacetValues.tag}
    )
  ) g)`;

/** Orders groups by facet, the most frequent value first. Each row stands for `weight` documents. */
export function toCounts(groups: readonly FacetGroup[], weight = 1): Counts {
  const valuesOf = (name: FacetName) =>
    groups
      .flatMap(({ facet, value, count }) =>
        facet === name && value !== null ? [{ value, count: Math.round(count * weight) }] : [],
      )
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, maxFacetValues[name]);
  const all = groups.find(({ facet }) => facet === 'all')?.count ?? 0;
  return {
    total: Math.round(all * weight),
    facets: {
      status: valuesOf('status'),
      category: valuesOf('category'),
      country: valuesOf('country'),
      tag: valuesOf('tag'),
    },
  };
}

import type { PendingQuery, Row } from 'postgres';
import type { Db } from '../../platform/db.ts';
import type { Ladder, Stretch } from './ladders.ts';
import { facetsOf, matches, type Facets, type Match } from './queries.ts';

/** One document of so many is in the sample. */
export const sampleShare = 64;
/** One of so many of these is among those by which the kinds of a large result are estimated. */
const fineShare = 8;
/** Rows of the sample of which all are looked at for that. */
const mostCounted = 1500;

/** What the sample tells: how many of its documents match, and of which kinds. */
export interface Survey {
  found: number;
  /** How many there are, about; 0 before that is known. */
  of: number;
  facets: Facets;
  /** A document that was counted in the facets stands for so many. */
  facetShare: number;
}

/** Counts in the sample. Of 1,000,000 documents, a word in a third of them: 5,628 rows on 300 pages. */
export async function survey(db: Db, match: Match): Promise<Survey> {
  const [row] = await db<[Survey]>`
    with found as materialized (
      select d.status, d.category_id, d.country, d.tag_keys, d.fine from search_sample d
      where ${matches(db, match)}
    ),
    counted as materialized (select count(*)::integer as n from found),
    looked_at as materialized (
      select * from found where fine or (select n from counted) <= ${mostCounted}
    )
    select n as found, (select greatest(reltuples, 0)::integer from pg_class
        where oid = 'search_sample'::regclass) as of,
      ${facetsOf(db, db`looked_at`)} as facets,
      case when n <= ${mostCounted} then ${sampleShare} else ${sampleShare * fineShare} end
        as "facetShare"
    from counted`;
  return row;
}

/** How many documents of the sample match. */
export async function countSampled(db: Db, match: Match): Promise<number> {
  const [row] = await db`
    select count(*)::integer as n from search_sample d where ${matches(db, match)}`;
  return row!.n as number;
}

const columns = (db: Db): Record<Ladder, PendingQuery<Row[]>> => ({
  known: db`d.known`,
  day: db`d.day`,
  trend: db`d.trend`,
});

/** Rungs from one downwards, and how many documents of the sample match. */
export interface SampledStretch extends Stretch {
  /** On these rungs. */
  sampled: number;
  /** On these and all below. */
  left: number;
}

interface Wanted {
  /** The highest rung. */
  from: number;
  /** Documents of the sample. */
  sampled: number;
  /** Rungs that are taken together. */
  step?: number;
}

/** As many rungs downwards as it takes for so many of the sample's documents that match. */
export async function nextStretch(
  db: Db,
  match: Match,
  ladder: Ladder,
  { from, sampled: wanted, step = 1 }: Wanted,
): Promise<SampledStretch> {
  const column = columns(db)[ladder];
  const [row] = await db<[{ upTo: number | null; sampled: number; left: number }]>`
    with found as materialized (
      select ${column} - ${column} % ${step}::integer as rung from search_sample d
      where ${matches(db, match)} and ${column} <= ${from}
    ),
    last as (select rung from found order by rung desc offset ${wanted - 1} limit 1)
    select (select rung from last) as "upTo",
      (select count(*)::integer from found where rung >= coalesce((select rung from last), 0))
        as sampled,
      (select count(*)::integer from found) as left`;
  return { from, ...row, upTo: row.upTo ?? 0 };
}

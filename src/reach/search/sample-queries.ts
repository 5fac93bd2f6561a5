import type { Db } from '../../platform/db.ts';
import type { Ladder, Stretch } from './ladders.ts';
import { facetsOf, matches, type Facets, type Match } from './queries.ts';

/** One document of so many is in the sample. */
export const sampleShare = 64;
/** One of so many of these is fine enough to count what many have. */
const fineShare = 8;
/** So many of the fine ones are enough to go by. */
const enough = 150;

/** How many documents of the sample match. */
export interface Size {
  found: number;
  /** How many there are, about; 0 before that is known. */
  of: number;
}

/** And of which kinds they are. */
export interface Survey extends Size {
  facets: Facets;
  /** A document that was counted in the facets stands for so many. */
  facetShare: number;
}

const ofSample = (db: Db) =>
  db`(select greatest(reltuples, 0)::integer from pg_class where oid = 'search_sample'::regclass)`;

/** Counts in the sample, or in the fine part of it where that is enough: some thousand rows at most. */
export async function survey(db: Db, match: Match): Promise<Survey> {
  const columns = db`d.status, d.category_id, d.country, d.tag_keys`;
  const [row] = await db<[Omit<Survey, 'facetShare'> & { isEnough: boolean }]>`
    with fine as materialized (
      select ${columns} from search_sample d where d.fine and ${matches(db, match)}
    ),
    counted as materialized (select count(*) >= ${enough} as is_enough from fine),
    found as materialized (
      select * from fine
      union all
      select ${columns} from search_sample d
      where not d.fine and ${matches(db, match)} and not (select is_enough from counted)
    )
    select (select count(*)::integer from found) as found, is_enough as "isEnough",
      ${ofSample(db)} as of,
      ${facetsOf(db, db`found`)} as facets
    from counted`;
  const { isEnough, found, ...rest } = row;
  const times = isEnough ? fineShare : 1;
  return { ...rest, found: found * times, facetShare: sampleShare * times };
}

/** The same but for the kinds, roughly: by the fine part alone. */
export async function sizeOf(db: Db, match: Match): Promise<Size> {
  const [row] = await db<[Size]>`
    select count(*)::integer * ${fineShare}::integer as found, ${ofSample(db)} as of
    from search_sample d where d.fine and ${matches(db, match)}`;
  return row;
}

/** Rungs from one downwards, and how many documents of the sample match. */
export interface SampledStretch extends Stretch {
  /** On these rungs. */
  sampled: number;
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
  const column = db(`d.${ladder}`);
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

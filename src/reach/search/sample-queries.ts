import type { Db } from '../../platform/db.ts';
import { bottom, tiers, type Ladder, type Stretch } from './ladders.ts';
import { anyLexeme, quoted } from './document.ts';
import { facetsOf, matches, simply, type Facets, type Match } from './queries.ts';
import type { KnownWord } from './word-queries.ts';

/**
 * One of so many documents is in the sample at each level (migrations/0036): the higher the level, the fewer rows
 * tell the same. All numbers of documents here are of what there is in all, as the sample tells it.
 */
const shares = [8, 32, 128, 512] as const;
type Level = 0 | 1 | 2 | 3;

/** Whether the sample's row `d` is on the level and matches, which the level's index tells. */
function matchesOn(db: Db, level: Level, match: Match) {
  const indexed = { ...match, query: match.query ?? quoted(anyLexeme) };
  const isOn = level === 0 ? db`true` : db`d.level >= ${db.unsafe(String(level))}`;
  return db`${isOn} and ${matches(db, indexed)}`;
}

/** How many documents match, about. */
export interface Size {
  found: number;
  /** Of how many, about; 0 before that is known. */
  of: number;
}

/** And of which kinds they are. */
export interface Survey extends Size {
  facets: Facets;
}

const ofAll = (db: Db) => db`(
  select greatest(reltuples, 0)::integer * ${shares[0]}::integer
  from pg_class where oid = 'search_sample'::regclass)`;

/** So many rows tell roughly how many they stand for: a third more or less, two times out of three. */
const enoughToTell = 8;
/** So many tell it well: an eighth more or less. */
const enough = 64;

/** Roughly how many match: by the highest level where enough do, or by the third. */
function roughCount(db: Db, match: Match) {
  const count = (level: Level) =>
    db`select count(*)::integer as found from search_sample d where ${matchesOn(db, level, match)}`;
  const isEnough = db`>= ${enoughToTell}::integer`;
  return db`(
    with third as materialized (${count(3)}),
    second as materialized (${count(2)} and not (select found from third) ${isEnough}),
    first as materialized (
      ${count(1)} and not (select found from third) ${isEnough}
        and not (select found from second) ${isEnough}
    )
    select case
      when third.found ${isEnough} then third.found * ${shares[3]}::integer
      when second.found ${isEnough} then second.found * ${shares[2]}::integer
      else first.found * ${shares[1]}::integer
    end
    from third, second, first)`;
}

/** Roughly how many match, which decides how they are read. */
export async function sizeOf(db: Db, match: Match): Promise<Size> {
  const [row] = await db<[Size]>`select ${roughCount(db, match)} as found, ${ofAll(db)} as of`;
  return row;
}

/** And the words of titles that begin as one that is perhaps unfinished, the commonest first. */
export interface Completed extends Size {
  completions: KnownWord[];
}

const mostCompletions = 16;

/** The same, with what the last word of what is asked for may be meant to become. */
export async function sizeAndCompletions(db: Db, match: Match, begun: string): Promise<Completed> {
  const [row] = await db<[Completed]>`
    select ${roughCount(db, match)} as found, ${ofAll(db)} as of,
      (select coalesce(jsonb_agg(w), '[]') from (
        select word, titles from search_words
        where word >= ${begun} and word < ${begun} || U&'\\+10FFFF'
        order by titles desc, word limit ${mostCompletions}
      ) w) as completions`;
  return row;
}

/** Counts, on the highest level where enough match: some hundred rows, however many match in all. */
export async function survey(db: Db, match: Match, roughly: Size): Promise<Survey> {
  const level = ([3, 2, 1] as const).find((one) => roughly.found >= enough * shares[one]) ?? 0;
  const times = db`${shares[level]}::integer`;
  const [row] = await db<[Survey]>`
    with found as materialized (
      select d.status, d.category_id, d.country, d.tag_keys
      from search_sample d where ${matchesOn(db, level, match)}
    )
    select (select count(*)::integer * ${times} from found) as found, ${ofAll(db)} as of,
      ${facetsOf(db, db`found`, times)} as facets`;
  return row;
}

/** Rungs from one downwards, and how many documents match. */
export interface SampledStretch extends Stretch {
  /** On these rungs. */
  found: number;
  /** On these and those below. */
  left: number;
  /** On all. */
  all: number;
}

interface Wanted {
  /** The highest rung. */
  from: number;
  /** So many documents, about. */
  wanted: number;
  /** Of about so many in all, by which the level is chosen. */
  of: number;
  /** Rungs that are taken together. */
  step?: number | undefined;
}

/** Rows of the sample that are gathered for a stretch. */
const mostGathered = 500;

/** As many rungs downwards as it takes for so many documents that match. */
export async function sampleStretch(
  db: Db,
  match: Match,
  ladder: Ladder,
  { from, wanted, of, step = 1 }: Wanted,
): Promise<SampledStretch> {
  const column = db(`d.${ladder}`);
  const level = ([0, 1] as const).find((one) => of <= mostGathered * shares[one]) ?? 2;
  const share = shares[level];
  const sampled = Math.max(Math.round(wanted / share), 2);
  const [row] = await db<[Omit<SampledStretch, 'upTo'> & { upTo: number | null }]>`
    with all_found as materialized (
      select ${column} - ${column} % ${step}::integer as rung, ${column} <= ${from} as is_left
      from search_sample d where ${matchesOn(db, level, match)}
    ),
    found as materialized (select rung from all_found where is_left),
    last as (select rung from found order by rung desc offset ${sampled - 1} limit 1)
    select ${from}::integer as from, (select rung from last) as "upTo",
      (select count(*)::integer from found where rung >= coalesce((select rung from last), 0))
        * ${share}::integer as found,
      (select count(*)::integer from found) * ${share}::integer as left,
      (select count(*)::integer from all_found) * ${share}::integer as all`;
  return { ...row, upTo: row.upTo ?? bottom };
}

/** The best known documents, from a rung upwards. */
export interface Tier {
  upTo: number;
  /** Of all documents: 0 to 1. */
  share: number;
}

/** The highest first. */
export async function sharesOfTiers(db: Db): Promise<Tier[]> {
  return db<Tier[]>`
    with all_known as materialized (
      select known from search_sample d where ${matchesOn(db, 2, simply(null))}
    )
    select "upTo", (select count(*) filter (where known >= "upTo") from all_known)
      / greatest((select count(*) from all_known), 1)::float8 as share
    from unnest(${[...tiers]}::integer[]) as tier ("upTo")
    order by "upTo" desc`;
}

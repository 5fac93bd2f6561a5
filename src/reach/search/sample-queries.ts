import type { Db } from '../../platform/db.ts';
import { lowestBucket, indexedTiers, type SortAxis, type BucketRange } from './sort-axes.ts';
import { anyLexeme, quoted } from './document.ts';
import { toCounted, type Counted, type Group } from './facets.ts';
import {
  groupsOf,
  isAtLeast,
  matches,
  matchesAmongAll,
  type Fragment,
  type Match,
} from './queries.ts';
import type { KnownWord } from './word-queries.ts';

/**
 * One of so many documents is in the sample at each level, about (migrations/0044): the higher the level, the fewer
 * rows tell the same. All numbers of documents here are of what there is in all, as the sample tells it.
 */
const shares = [8, 32, 128, 512, 2048] as const;
type Level = 0 | 1 | 2 | 3 | 4;

/** What the sample is of. */
export interface Sample {
  /** Documents in all, about. */
  of: number;
  /** For so many of them each row stands, by levels. */
  times: readonly number[];
  /** The highest first. */
  tiers: readonly Tier[];
}

/** The best known documents, from a bucket upwards. */
export interface Tier {
  upTo: number;
  /** Of all documents: 0 to 1. */
  share: number;
}

/** How many match, about, of what the sample tells of. */
export interface Extent {
  found: number;
  /** So many are fetched to find those, since common filters are looked at in the rows. */
  fetched: number;
  sample: Sample;
}

/**
 * Such a part of all documents is looked at in vain: to go through the lists of common filters in the index takes as
 * long, of all documents as of a part of them.
 */
const mostInVain = 1 / 1000;

/** Whether common filters are looked at in the rows that have the words, rather than looked up. */
export const areFiltersInRows = ({ found, fetched, sample }: Extent): boolean =>
  fetched - found <= sample.of * mostInVain;

/** PostgreSQL's own count is of a while ago: wrong where the sample is further from it than chance would have it. */
const isUpToDate = (counted: number, sampled: number) =>
  Math.abs(counted / shares[0] - sampled) <= 4 * Math.sqrt(sampled);

interface SampledGroup {
  level: Level;
  /** How many tiers from the lowest upwards it stands on. */
  tier: number;
  rows: number;
  /** Documents in all, by the statistics of PostgreSQL. */
  counted: number;
}

/** What the sample is of, by all its rows. */
export async function readSample(db: Db): Promise<Sample> {
  const buckets = indexedTiers.toReversed();
  const groups = await db<SampledGroup[]>`
    select level, width_bucket(known, ${buckets}::integer[]) as tier, count(*)::integer as rows,
      (select reltuples from pg_class where oid = 'search_documents'::regclass) as counted
    from search_sample group by 1, 2`;
  const rowsOf = (some: SampledGroup[]) => some.reduce((sum, { rows }) => sum + rows, 0);
  const sampled = rowsOf(groups);
  const counted = groups[0]?.counted ?? 0;
  const of = isUpToDate(counted, sampled) ? counted : sampled * shares[0];
  return {
    of,
    times: shares.map((share, level) => {
      const rows = rowsOf(groups.filter((group) => group.level >= level));
      return rows > 0 ? of / rows : share;
    }),
    tiers: indexedTiers.map((upTo) => {
      const above = groups.filter(({ tier }) => tier > buckets.indexOf(upTo));
      return { upTo, share: rowsOf(above) / Math.max(sampled, 1) };
    }),
  };
}

/** Whether the sample's row `d` is on the level and matches, which the level's index tells. */
function matchesOn(db: Db, level: Level, match: Match, met = matches) {
  const isAnything = match.queries.length === 0;
  const indexed = isAnything ? { ...match, queries: [quoted(anyLexeme)] } : match;
  const isOn = level === 0 ? db`true` : isAtLeast(db, 'd.level', level);
  return db`${isOn} and ${met(db, indexed)}`;
}

/** So many rows tell roughly how many they stand for: a third more or less, two times out of three. */
const enoughToTell = 8;
/** So many tell it well: less than a fifth more or less, two times out of three. */
const enough = 32;

/** How many match, roughly: by the highest level where enough do, or by the first. */
function roughCount(db: Db, { of, times }: Sample, match: Match, share: number) {
  // Of all that meet the filters it must have twice as many as are enough, or it hardly has enough with a word.
  const mayBeEnough = (level: Level) => share * of >= 2 * enoughToTell * times[level]!;
  const levels = [...([4, 3, 2] as const).filter(mayBeEnough), 1 as const];
  const foundOn = (level: Level) => db`(select found from ${db(`level_${level}`)})`;
  const isEnough = (level: Level) => db`${foundOn(level)} >= ${enoughToTell}::integer`;
  const count = (level: Level, n: number) => db`
    ${n === 0 ? db`with` : db`,`} ${db(`level_${level}`)} as materialized (
      select count(*)::integer as found from search_sample d where ${matchesOn(db, level, match)}
        ${n === 0 ? db`` : levels.slice(0, n).map((above) => db`and not ${isEnough(above)}`)}
    )`;
  const told = (level: Level) => db`
    when ${level === 1 ? db`true` : isEnough(level)} then ${foundOn(level)} * ${times[level]!}::float8`;
  return db`(${levels.map(count)} select case ${levels.map(told)} end)`;
}

/**
 * Roughly how many match, which decides how they are read. Such a part of all documents, 0 to 1, meets the filters
 * among what is asked for.
 */
export async function sizeOf(db: Db, sample: Sample, match: Match, share: number): Promise<number> {
  const [row] = await db<[{ found: number }]>`
    select ${roughCount(db, sample, match, share)} as found`;
  return row.found;
}

/** A word that is perhaps unfinished. */
export interface Begun {
  word: string;
  /** With which all its forms begin. */
  root: string;
}

/** And the words of titles that begin as it, and those that begin as its forms do alone: the commonest first. */
export interface Completed {
  found: number;
  completions: KnownWord[];
  relatives: KnownWord[];
}

/** So many are given at most: there may be more. */
export const mostCompletions = 16;

/** The same, with what the last word of what is asked for may be meant to become. */
export async function sizeAndCompletions(
  db: Db,
  sample: Sample,
  { match, share, begun: { word, root } }: { match: Match; share: number; begun: Begun },
): Promise<Completed> {
  const beginningWith = (letters: string) => db`
    word >= ${letters} and word < ${letters} || U&'\\+10FFFF'`;
  const commonest = (where: Fragment) => db`(
    select coalesce(jsonb_agg(w), '[]') from (
      select word, titles from search_words where ${where}
      order by titles desc, word limit ${mostCompletions}
    ) w)`;
  const relatives =
    root === word
      ? db`'[]'::jsonb`
      : commonest(db`${beginningWith(root)} and not starts_with(word, ${word})`);
  const [row] = await db<[Completed]>`
    select ${roughCount(db, sample, match, share)} as found,
      ${commonest(beginningWith(word))} as completions, ${relatives} as relatives`;
  return row;
}

/** About how many match and of which kinds, on the highest level where enough match: some hundred rows of any result. */
export async function survey(db: Db, match: Match, extent: Extent): Promise<Counted> {
  const { times } = extent.sample;
  const level = ([4, 3, 2, 1] as const).find((one) => extent.found >= enough * times[one]!) ?? 0;
  const timesOfLevel = db`${times[level]!}::float8`;
  const met = areFiltersInRows(extent) ? matchesAmongAll : matches;
  const [row] = await db<[{ groups: Group[] }]>`
    with found as materialized (
      select d.status, d.category_id, d.country, d.tag_keys
      from search_sample d where ${matchesOn(db, level, match, met)}
    )
    select ${groupsOf(db, db`found`, timesOfLevel)} as groups`;
  return toCounted(row.groups);
}

/** Buckets from one downwards, and how many documents match. */
export interface SampledRange extends BucketRange {
  /** On these buckets. */
  found: number;
  /** On these and those below. */
  left: number;
  /** On all. */
  all: number;
}

interface Wanted {
  /** The highest bucket. */
  high: number;
  /** So many documents, about. */
  wanted: number;
  /** Of about so many in all, by which the level is chosen. */
  of: number;
  /** Buckets that are taken together. */
  step?: number | undefined;
}

/** Rows of the sample that are gathered for a range. */
const mostGathered = 500;

/** As many buckets downwards as it takes for so many documents that match. */
export async function sampleRange(
  db: Db,
  { times }: Sample,
  match: Match,
  axis: SortAxis,
  { high, wanted, of, step = 1 }: Wanted,
): Promise<SampledRange> {
  const column = db(`d.${axis}`);
  const level = ([0, 1] as const).find((one) => of <= mostGathered * times[one]!) ?? 2;
  const timesOfLevel = times[level]!;
  const sampled = Math.max(Math.round(wanted / timesOfLevel), 2);
  const [row] = await db<[Omit<SampledRange, 'low'> & { low: number | null }]>`
    with all_found as materialized (
      select ${column} - ${column} % ${step}::integer as bucket, ${column} <= ${high} as is_left
      from search_sample d where ${matchesOn(db, level, match)}
    ),
    found as materialized (select bucket from all_found where is_left),
    last as (select bucket from found order by bucket desc offset ${sampled - 1} limit 1)
    select ${high}::integer as high, (select bucket from last) as low,
      (select count(*)::integer from found where bucket >= coalesce((select bucket from last), 0))
        * ${timesOfLevel}::float8 as found,
      (select count(*)::integer from found) * ${timesOfLevel}::float8 as left,
      (select count(*)::integer from all_found) * ${timesOfLevel}::float8 as all`;
  return { ...row, low: row.low ?? lowestBucket };
}

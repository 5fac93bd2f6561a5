import type { PendingQuery, Row } from 'postgres';
import type { Db } from '../../platform/db.ts';
import { bottom, wellKnown, type Ladder, type Stretch } from './ladders.ts';
import { anyLexeme, quoted } from './document.ts';
import { facetsOf, matches, type Facets, type Match } from './queries.ts';

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

/** Roughly how many match: by the highest level, which tells nothing of what few have. */
export async function sizeOf(db: Db, match: Match): Promise<Size> {
  const [row] = await db<[Size]>`
    select count(*)::integer * ${shares[3]}::integer as found, ${ofAll(db)} as of
    from search_sample d where ${matchesOn(db, 3, match)}`;
  return row;
}

/** So many rows are enough to go by: 8% more or less than what they stand for, two times out of three. */
const enough = 150;

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
  left: number;
}

interface Wanted {
  /** The highest rung. */
  from: number;
  /** So many documents, about. */
  wanted: number;
  /** Of about so many in all, by which the level is chosen. */
  of: number;
  /** Where so many are well known, these are enough, on the ladder of how well. */
  least?: number | undefined;
  /** Rungs that are taken together. */
  step?: number | undefined;
}

/** As many rungs downwards as it takes for so many documents that match. */
export async function nextStretch(
  db: Db,
  match: Match,
  ladder: Ladder,
  { least, ...wanted }: Wanted,
): Promise<SampledStretch> {
  if (least !== undefined && ladder === 'known' && wanted.from > wellKnown) {
    const isThere = db`d.known + 0 >= ${db.unsafe(String(wellKnown))} and ${matches(db, match)}`;
    const best = await stretchAmong(db, isThere, shares[0], ladder, wanted);
    // Those below are not counted: they may be very many.
    if (best.left >= least) {
      return { ...best, upTo: Math.max(best.upTo, wellKnown), left: Infinity };
    }
  }
  const level = levelFor(wanted.of);
  return stretchAmong(db, matchesOn(db, level, match), shares[level], ladder, wanted);
}

/** Rows of the sample that are gathered for a stretch. */
const mostGathered = 500;
const levelFor = (documents: number): Level =>
  documents <= mostGathered * shares[0] ? 0 : documents <= mostGathered * shares[1] ? 1 : 2;

async function stretchAmong(
  db: Db,
  isThere: PendingQuery<Row[]>,
  share: number,
  ladder: Ladder,
  { from, wanted, step = 1 }: Omit<Wanted, 'least'>,
): Promise<SampledStretch> {
  const column = db(`d.${ladder}`);
  const sampled = Math.max(Math.round(wanted / share), 2);
  const [row] = await db<[{ upTo: number | null; found: number; left: number }]>`
    with found as materialized (
      select ${column} - ${column} % ${step}::integer as rung from search_sample d
      where ${isThere} and ${column} <= ${from}
    ),
    last as (select rung from found order by rung desc offset ${sampled - 1} limit 1)
    select (select rung from last) as "upTo",
      (select count(*)::integer from found where rung >= coalesce((select rung from last), 0))
        * ${share}::integer as found,
      (select count(*)::integer from found) * ${share}::integer as left`;
  return { from, ...row, upTo: row.upTo ?? bottom };
}

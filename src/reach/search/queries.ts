import type { PendingQuery, Row } from 'postgres';
import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { filterLexemes, quoted, type SearchFilters } from './document.ts';
import { bottom, rangesOf, tiers, top, type Ladder, type Stretch } from './ladders.ts';

/** What is asked of lexemes, as PostgreSQL reads a tsquery, written by query.ts; null: nothing. */
export type Query = string | null;

/** Which documents match. */
export interface Match {
  query: Query;
  /** Filters that many documents meet. */
  common: CommonFilters;
  /** Of those, all but these, which are few of them. */
  without?: Query;
}

export type CommonFilters = Omit<SearchFilters, 'tag'>;

export const simply = (query: Query): Match => ({ query, common: {} });

/** All of them, those that are not null; null where none is. */
export const both = (...some: Query[]): Query =>
  some.filter((one) => one !== null).join(' & ') || null;

/** Of those that match, those with this, too. */
export const within = (match: Match, more: Query): Match => ({
  ...match,
  query: both(more, match.query),
});

type Fragment = PendingQuery<Row[]>;

/** Whether the document `d` matches, by its lexemes: in a small index. */
export function matches(db: Db, { query, common, without = null }: Match): Fragment {
  const all = both(query, ...filterLexemes(common).map(quoted));
  return db`${all === null ? db`true` : db`d.document @@ ${all}::tsquery`}
    ${without === null ? db`` : db`and not d.document @@ ${without}::tsquery`}`;
}

/**
 * The same in the index of all documents, which would go through most of the long list of a common filter, for the
 * documents that have the words: these are sooner fetched and looked at.
 */
export function matchesAmongAll(db: Db, match: Match): Fragment {
  const { status, category, country } = match.common;
  return db`${matches(db, { ...match, common: {} })}
    ${status ? db`and d.status = ${status}` : db``}
    ${category ? db`and d.category_id = ${category}` : db``}
    ${country ? db`and d.country = ${country}` : db``}`;
}

/** Whether the document `d` matches and stands on these rungs. */
function matchesOn(db: Db, match: Match, ladder: Ladder, stretch: Stretch): Fragment {
  const { from, upTo, isSparse = false } = stretch;
  if (from >= top && upTo <= bottom) return matchesAmongAll(db, match);
  if (isSparse) {
    const column = db(`d.${ladder}`);
    return db`${matchesAmongAll(db, match)} and ${column} + 0 between ${upTo}::integer and ${from}::integer`;
  }
  // In the indexes of the best known few words begin alike. The sum keeps PostgreSQL from the index of the rungs.
  const least = ladder === 'known' ? tiers.find((one) => upTo >= one) : undefined;
  if (least !== undefined) {
    return db`${matches(db, match)} and d.known + 0 >= ${db.unsafe(String(least))}
      and d.known + 0 between ${upTo}::integer and ${from}::integer`;
  }
  return db`${matchesAmongAll(db, match)} and d.ranges && ${rangesOf(ladder, stretch)}::integer[]`;
}

export interface FacetCount {
  value: string;
  count: number;
}
export type FacetName = 'status' | 'category' | 'country' | 'tag';
export type Facets = Record<FacetName, FacetCount[]>;

/** The most frequent values of each facet among the rows, each of which counts so many times. */
export const facetsOf = (db: Db, rows: Fragment, times = db`1`): Fragment => {
  const counts = (values: Fragment, limit: number) => db`(
    select coalesce(jsonb_agg(f), '[]') from (
      select value, (count(*) * ${times})::integer as count from ${values} where value is not null
      group by value order by count desc, value limit ${limit}
    ) f)`;
  return db`jsonb_build_object(
    'status', ${counts(db`(select status as value from ${rows}) v`, 10)},
    'category', ${counts(db`(select category_id as value from ${rows}) v`, 100)},
    'country', ${counts(db`(select country as value from ${rows}) v`, 50)},
    'tag', ${counts(db`(select unnest(tag_keys) as value from ${rows}) v`, 20)})`;
};

/** How matches are ranked: any of the words, and the lexeme of titles that consist of them. */
export interface Ranking {
  words: string;
  whole: string;
}

/** How well known a document is, without its month. */
const prior = (db: Db) => db`(d.known / 10000)`;

/**
 * How well a document fits and how well known it is, in one number. Words in the title count, in tags
 * less; a short title says more by them, and one that consists of them says it all. Where no word is
 * wanted, or none is in the title, what is well known comes first.
 */
const score = (db: Db, ranking: Ranking | null) =>
  ranking === null
    ? db`d.known`
    : db`(${prior(db)} + ts_rank('{0.1, 0.1, 0.4, 1}', d.title, ${ranking.words}::tsquery, 1) * 10000
        * (1 + ${prior(db)} / 40.0::float8)
        + case when d.title @@ ${ranking.whole}::tsquery then 10000 else 0 end)::integer`;

export interface Found {
  id: string;
  key: number | string;
}

export type PetitionSort = 'recent' | 'signatures' | 'trending';

const sortColumns = {
  recent: 'sort_at',
  signatures: 'signature_count',
  trending: 'trend',
} as const;
const sortTypes = (db: Db) =>
  ({ recent: db`timestamptz`, signatures: db`integer`, trending: db`float8` }) as const;

const asKey = (db: Db, sort: PetitionSort, column: string) =>
  sort === 'recent'
    ? db`to_char(${db(column)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : db`${db(column)}`;

const afterKeys = (db: Db, [key, id]: [string, string], type: Fragment, after: CursorKeys | null) =>
  after ? db`(${db(key)}, ${db(id)}) < (${after[0]!}::${type}, ${after[1]!}::uuid)` : db`true`;

/** How many match, and of which kinds they are. */
export interface Counted {
  found: number;
  facets: Facets;
}

export async function countAll(db: Db, match: Match): Promise<Counted> {
  const [row] = await db<[Counted]>`
    with found as materialized (
      select d.status, d.category_id, d.country, d.tag_keys
      from search_documents d where ${matchesAmongAll(db, match)}
    )
    select (select count(*)::integer from found) as found, ${facetsOf(db, db`found`)} as facets`;
  return row;
}

/** The same, with a page of them. */
export interface Gathered extends Counted {
  page: Found[];
}

/** Fetches every match, ranks it, and counts. 1,688 matches among 1,000,000: 1,683 pages of the database. */
export async function gatherRanked(
  db: Db,
  match: Match,
  ranking: Ranking | null,
  after: CursorKeys | null,
  limit: number,
): Promise<Gathered> {
  const [row] = await db<[Gathered]>`
    with found as materialized (
      select d.petition_id, d.status, d.category_id, d.country, d.tag_keys,
        ${score(db, ranking)} as key
      from search_documents d where ${matchesAmongAll(db, match)}
    )
    select (select count(*)::integer from found) as found, ${facetsOf(db, db`found`)} as facets,
      (select coalesce(jsonb_agg(p order by p.key desc, p.id desc), '[]') from (
        select petition_id as id, key from found
        where ${afterKeys(db, ['key', 'petition_id'], db`integer`, after)}
        order by key desc, petition_id desc limit ${limit}
      ) p) as page`;
  return row;
}

/** Matches on some rungs, by how well they fit. */
export async function readRanked(
  db: Db,
  match: Match,
  stretch: Stretch,
  ranking: Ranking | null,
  after: CursorKeys | null,
  limit: number,
): Promise<Found[]> {
  return db<Found[]>`
    select id, key from (
      select d.petition_id as id, ${score(db, ranking)} as key from search_documents d
      where ${matchesOn(db, match, 'known', stretch)}
      offset 0
    ) d
    where ${afterKeys(db, ['key', 'id'], db`integer`, after)}
    order by key desc, id desc limit ${limit}`;
}

/** Matches on some rungs, in an order of the petitions' own. */
export async function readSorted(
  db: Db,
  match: Match,
  sort: PetitionSort,
  { ladder, ...stretch }: Stretch & { ladder: Ladder },
  after: CursorKeys | null,
  limit: number,
): Promise<Found[]> {
  const column = `p.${sortColumns[sort]}`;
  return db<Found[]>`
    select p.id, ${asKey(db, sort, column)} as key
    from (
      select petition_id from search_documents d
      where ${matchesOn(db, match, ladder, stretch)}
      offset 0
    ) d
    join petitions p on p.id = d.petition_id
    where p.listed and ${afterKeys(db, [column, 'p.id'], sortTypes(db)[sort], after)}
    order by ${db(column)} desc, p.id desc limit ${limit}`;
}

/** Of how many rows so many matches are wanted at most. */
export interface Bounds {
  budget: number;
  limit: number;
}

/**
 * Matches in the order of the petitions' index, for what matches often: it ends where the page is full,
 * or after so many petitions.
 */
export async function walkSorted(
  db: Db,
  match: Match,
  sort: PetitionSort,
  after: CursorKeys | null,
  { budget, limit }: Bounds,
): Promise<Found[]> {
  const column = sortColumns[sort];
  return db<Found[]>`
    select p.id, ${asKey(db, sort, 'p.key')} as key from (
      select id, ${db(column)} as key from petitions
      where listed and ${afterKeys(db, [column, 'id'], sortTypes(db)[sort], after)}
      order by ${db(column)} desc, id desc limit ${budget}
    ) p
    cross join lateral (
      select document from search_documents where petition_id = p.id offset 0
    ) d
    where ${matches(db, match)}
    order by p.key desc, p.id desc limit ${limit}`;
}

/** The same by how well known petitions are. */
export async function walkByKnown(
  db: Db,
  match: Match,
  after: CursorKeys | null,
  { budget, limit }: Bounds,
): Promise<Found[]> {
  return db<Found[]>`
    select d.petition_id as id, d.known as key from (
      select petition_id, known, document from search_documents
      where ${afterKeys(db, ['known', 'petition_id'], db`integer`, after)}
      order by known desc, petition_id desc limit ${budget}
    ) d
    where ${matches(db, match)}
    order by d.known desc, d.petition_id desc limit ${limit}`;
}

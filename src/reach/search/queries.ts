import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db, Query } from '../../platform/db.ts';
import { maxFacetValues, toCounted, type Counted, type Group } from './facets.ts';
import { filterLexemes, quoted, type SearchFilters } from './document.ts';
import {
  lowestBucket,
  rangesOf,
  indexedTiers,
  highestBucket,
  type SortAxis,
  type BucketRange,
} from './sort-axes.ts';

/**
 * What is asked of lexemes, each as PostgreSQL reads a tsquery and so that several can be joined by &, written by
 * query.ts; none: nothing. Between the lists of several the index leaps, where of one it tries each entry.
 */
export type Queries = readonly string[];

/** Which documents match. */
export interface Match {
  queries: Queries;
  /** Filters that many documents meet: looked up or looked at in the rows, as it is less. */
  common: RowFilters;
  /** Those that most documents meet, which are always looked at in the rows. */
  usual?: RowFilters;
  /** Of those, all but these, which are few of them. */
  without?: Queries;
}

/** What can be looked at in the rows of documents. */
export type RowFilters = Omit<SearchFilters, 'tag'>;

export const simply = (...queries: string[]): Match => ({ queries, common: {} });

/** Of those that match, those with this, too. */
export const within = (match: Match, more: Queries): Match => ({
  ...match,
  queries: [...more, ...match.queries],
});

/** A part of a statement. */
export type Fragment = Query;

/** Whether the document `d` matches, by its lexemes and those of common filters: in a small index. */
export function matches(db: Db, { queries, common, usual, without = [] }: Match): Fragment {
  const { status, category, country } = usual ?? {};
  const all = [...queries, ...filterLexemes(common).map(quoted)];
  const each = all.map((query) => db`and d.document @@ ${query}::tsquery`);
  return db`true ${each.length > 0 ? each : db``}
    ${without.length === 0 ? db`` : db`and not d.document @@ ${without.join(' & ')}::tsquery`}
    ${status ? db`and d.status = ${status}` : db``}
    ${category ? db`and d.category_id = ${category}` : db``}
    ${country ? db`and d.country = ${country}` : db``}`;
}

/**
 * The same in the index of all documents, which would go through most of the long list of a common filter, for the
 * documents that have the words: these are sooner fetched and looked at.
 */
export const matchesAmongAll = (db: Db, match: Match): Fragment =>
  matches(db, { ...match, common: {}, usual: { ...match.common, ...match.usual } });

/**
 * Whether it is so much or more, as the indexes say it that lie within one another: PostgreSQL takes no other than
 * the one of this number (migrations/0044).
 */
export const isAtLeast = (db: Db, column: string, least: number): Fragment =>
  db`(${db(column)} >= ${db.unsafe(String(least))})::integer = 1`;

/** Whether the document `d` matches and stands in these buckets. */
function matchesOn(db: Db, match: Match, axis: SortAxis, range: BucketRange): Fragment {
  const { high, low, isSparse = false } = range;
  if (high >= highestBucket && low <= lowestBucket) return matchesAmongAll(db, match);
  const column = db(`d.${axis}`);
  // Said of a sum, which keeps PostgreSQL from the index of the buckets.
  const between = db`${column} + 0 between ${low}::integer and ${high}::integer`;
  const tier = axis === 'known' ? indexedTiers.find((one) => low >= one) : undefined;
  if (tier !== undefined) {
    return db`${isSparse ? matchesAmongAll(db, match) : matches(db, match)}
      and ${isAtLeast(db, 'd.known', tier)}
      ${high >= highestBucket && low === tier ? db`` : db`and ${between}`}`;
  }
  return isSparse
    ? db`${matchesAmongAll(db, match)} and ${between}`
    : db`${matchesAmongAll(db, match)} and d.ranges && ${rangesOf(axis, range)}::integer[]`;
}

/** The groups of the rows, each of which counts so many times: all of them, by each facet, and by the commonest tags. */
export const groupsOf = (db: Db, rows: Fragment, times = db`1`): Fragment => db`(
  select json_agg(g) from (
    select
      case grouping(status, category_id, country)
        when 3 then 'status' when 5 then 'category' when 6 then 'country' else 'all'
      end as facet,
      coalesce(status, category_id::text, country) as value, (count(*) * ${times})::integer as count
    from ${rows} group by grouping sets ((), (status), (category_id), (country))
    union all (
      select 'tag', tag, (count(*) * ${times})::integer
      from (select unnest(tag_keys) as tag from ${rows}) t
      group by tag order by 3 desc, 2 limit ${maxFacetValues.tag}
    )
  ) g)`;

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
export async function countAll(db: Db, match: Match): Promise<Counted> {
  const [row] = await db<[{ groups: Group[] }]>`
    with found as materialized (
      select d.status, d.category_id, d.country, d.tag_keys
      from search_documents d where ${matchesAmongAll(db, match)}
    )
    select ${groupsOf(db, db`found`)} as groups`;
  return toCounted(row.groups);
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
  const [{ page, groups }] = await db<[{ page: Found[]; groups: Group[] }]>`
    with found as materialized (
      select d.petition_id, d.status, d.category_id, d.country, d.tag_keys,
        ${score(db, ranking)} as key
      from search_documents d where ${matchesAmongAll(db, match)}
    )
    select ${groupsOf(db, db`found`)} as groups,
      (select coalesce(jsonb_agg(p order by p.key desc, p.id desc), '[]') from (
        select petition_id as id, key from found
        where ${afterKeys(db, ['key', 'petition_id'], db`integer`, after)}
        order by key desc, petition_id desc limit ${limit}
      ) p) as page`;
  return { ...toCounted(groups), page };
}

/** Matches on some buckets, by how well they fit. */
export async function readRanked(
  db: Db,
  match: Match,
  range: BucketRange,
  ranking: Ranking | null,
  after: CursorKeys | null,
  limit: number,
): Promise<Found[]> {
  return db<Found[]>`
    select id, key from (
      select d.petition_id as id, ${score(db, ranking)} as key from search_documents d
      where ${matchesOn(db, match, 'known', range)}
      offset 0
    ) d
    where ${afterKeys(db, ['key', 'id'], db`integer`, after)}
    order by key desc, id desc limit ${limit}`;
}

/** Matches on some buckets, in an order of the petitions' own. */
export async function readSorted(
  db: Db,
  match: Match,
  sort: PetitionSort,
  { axis, ...range }: BucketRange & { axis: SortAxis },
  after: CursorKeys | null,
  limit: number,
): Promise<Found[]> {
  const column = `p.${sortColumns[sort]}`;
  return db<Found[]>`
    select p.id, ${asKey(db, sort, column)} as key
    from (
      select petition_id from search_documents d
      where ${matchesOn(db, match, axis, range)}
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
      select document, status, category_id, country from search_documents
      where petition_id = p.id offset 0
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
      select petition_id, known, document, status, category_id, country from search_documents
      where ${afterKeys(db, ['known', 'petition_id'], db`integer`, after)}
      order by known desc, petition_id desc limit ${budget}
    ) d
    where ${matches(db, match)}
    order by d.known desc, d.petition_id desc limit ${limit}`;
}

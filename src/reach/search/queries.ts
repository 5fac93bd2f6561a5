import type { PendingQuery, Row } from 'postgres';
import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';

// Which documents match is a text that PostgreSQL reads as a tsquery, written by query.ts; null: all do.
export type Match = string | null;

/** What is in each document `d` that the match must be in. */
export type Part = 'title' | 'document';

type Fragment = PendingQuery<Row[]>;

const matches = (db: Db, part: Part, match: Match) =>
  match === null ? db`true` : db`${db(`d.${part}`)} @@ ${match}::tsquery`;

export interface FacetCount {
  value: string;
  count: number;
}
export type FacetName = 'status' | 'category' | 'country' | 'tag';
export type Facets = Record<FacetName, FacetCount[]>;

/** The most frequent values of each facet among the rows of `found`. */
const facetsOfFound = (db: Db) => {
  const counts = (values: Fragment, limit: number) => db`(
    select coalesce(jsonb_agg(f), '[]') from (
      select value, count(*)::integer as count from ${values} where value is not null
      group by value order by count desc, value limit ${limit}
    ) f)`;
  return db`jsonb_build_object(
    'status', ${counts(db`(select status as value from found) v`, 10)},
    'category', ${counts(db`(select category_id as value from found) v`, 100)},
    'country', ${counts(db`(select country as value from found) v`, 50)},
    'tag', ${counts(db`(select unnest(tag_keys) as value from found) v`, 20)})`;
};

/** What the sample tells: how many of its documents match, and how many by their titles. */
export interface Survey {
  found: number;
  inTitle: number;
  facets: Facets;
}

/**
 * Counts among a 64th of the documents. Of 1,000,000, a word in a third of them: 5,628 rows, 5,577 pages of
 * the database, nearly all of the time of such a search.
 */
export async function survey(db: Db, match: Match): Promise<Survey> {
  const [row] = await db<[Survey]>`
    with found as materialized (
      select d.status, d.category_id, d.country, d.tag_keys,
        ${matches(db, 'title', match)} as in_title
      from search_documents d
      where d.sampled and ${matches(db, 'document', match)}
    )
    select count(*)::integer as found,
      (count(*) filter (where in_title))::integer as "inTitle", ${facetsOfFound(db)} as facets
    from found`;
  return row;
}

/** How matches are ranked: any of the words, and the lexeme of titles that consist of them. */
export interface Ranking {
  words: string;
  whole: string;
}

/**
 * How well a document fits and how well known it is, in one number. Words in the title count, in tags
 * less; a short title says more by them, and one that consists of them says it all. Where no word is
 * wanted, or none is in the title, what is well known comes first.
 */
const score = (db: Db, ranking: Ranking | null) =>
  ranking === null
    ? db`d.prior::integer`
    : db`(d.prior + ts_rank('{0.1, 0.1, 0.4, 1}', d.title, ${ranking.words}::tsquery, 1) * 10000
        * (1 + d.prior / 40.0)
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

/** All that match: how many there are, of which kinds, and those of one page. */
export interface Gathered {
  found: number;
  facets: Facets;
  page: Found[];
}

/** Fetches every match, ranks it, and counts. 7,608 matches among 1,000,000: 7,519 pages of the database. */
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
      from search_documents d where ${matches(db, 'document', match)}
    )
    select (select count(*)::integer from found) as found, ${facetsOfFound(db)} as facets,
      (select coalesce(jsonb_agg(p order by p.key desc, p.id desc), '[]') from (
        select petition_id as id, key from found
        where ${afterKeys(db, ['key', 'petition_id'], db`integer`, after)}
        order by key desc, petition_id desc limit ${limit}
      ) p) as page`;
  return row;
}

/** The same in an order of the petitions' own. */
export async function gatherSorted(
  db: Db,
  match: Match,
  sort: PetitionSort,
  after: CursorKeys | null,
  limit: number,
): Promise<Gathered> {
  const column = sortColumns[sort];
  const [row] = await db<[Gathered]>`
    with found as materialized (
      select d.petition_id, d.status, d.category_id, d.country, d.tag_keys, p.${db(column)} as key
      from search_documents d join petitions p on p.id = d.petition_id
      where ${matches(db, 'document', match)} and p.listed
    )
    select (select count(*)::integer from found) as found, ${facetsOfFound(db)} as facets,
      (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'key', ${asKey(db, sort, 'p.key')})
          order by p.key desc, p.id desc), '[]') from (
        select petition_id as id, key from found
        where ${afterKeys(db, ['key', 'petition_id'], sortTypes(db)[sort], after)}
        order by key desc, petition_id desc limit ${limit}
      ) p) as page`;
  return row;
}

/**
 * Matches in the order of the petitions' index, for what matches often: it ends where the page is full,
 * or after so many petitions. A word in a third of 1,000,000: 61 petitions, 0.4 ms.
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
    where ${matches(db, 'document', match)}
    order by p.key desc, p.id desc limit ${limit}`;
}

export interface Bounds {
  /** Rows that are looked at. */
  budget: number;
  /** Matches that are wanted. */
  limit: number;
}

/** A place in the order of how well known petitions are. */
export interface Place {
  prior: number;
  id: string;
}

export interface Ranked extends Place {
  score: number;
}

/** Which of the documents that match, by how well known they are. */
export interface Stretch {
  match: Match;
  part: Part;
  /** Not those that match here. */
  except?: Part;
  /** Only those after this place, and up to the other one, with it. */
  after: Place;
  upTo: Place;
}

/** Before and behind all. */
export const start: Place = { prior: 32_767, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
export const end: Place = { prior: -1, id: '00000000-0000-0000-0000-000000000000' };

const ofStretch = (db: Db, { match, part, except }: Stretch) => db`
  ${matches(db, part, match)}
  ${except ? db`and not ${matches(db, except, match)}` : db``}`;

/**
 * The best known matches, by the index in that order: for what matches often. 100 titles with a word that
 * is in 5% of 1,000,000: 2,042 rows, as many pages; 21 texts with one that is in a third: 71 rows, 0.3 ms.
 */
export async function walkByPrior(
  db: Db,
  stretch: Stretch,
  ranking: Ranking | null,
  { budget, limit }: Bounds,
): Promise<Ranked[]> {
  const { after, upTo } = stretch;
  return db<Ranked[]>`
    select d.petition_id as id, d.prior, ${score(db, ranking)} as score from (
      select petition_id, prior, title, document from search_documents
      where (prior, petition_id) < (${after.prior}::smallint, ${after.id}::uuid)
        and (prior, petition_id) >= (${upTo.prior}::smallint, ${upTo.id}::uuid)
      order by prior desc, petition_id desc limit ${budget}
    ) d
    where ${ofStretch(db, stretch)}
    order by d.prior desc, d.petition_id desc limit ${limit}`;
}

/** The same by fetching all matches: for what matches rarely. */
export async function gatherByPrior(
  db: Db,
  stretch: Stretch,
  ranking: Ranking | null,
  limit: number,
): Promise<Ranked[]> {
  const { after, upTo } = stretch;
  // The sums keep PostgreSQL from the index that walkByPrior goes by.
  return db<Ranked[]>`
    select d.petition_id as id, d.prior, ${score(db, ranking)} as score from (
      select petition_id, prior, title from search_documents d
      where ${ofStretch(db, stretch)}
        and (prior + 0, petition_id) < (${after.prior}::integer, ${after.id}::uuid)
        and (prior + 0, petition_id) >= (${upTo.prior}::integer, ${upTo.id}::uuid)
      order by prior + 0 desc, petition_id desc limit ${limit}
    ) d
    order by d.prior desc, d.petition_id desc`;
}

export interface TitleRow {
  id: string;
  title: string;
  slug: string;
  signature_count: number;
}

/** What is shown of petitions that somebody may mean. */
export async function titlesOf(db: Db, ids: string[]): Promise<TitleRow[]> {
  return db<TitleRow[]>`
    select id, title, slug, signature_count from petitions
    where id = any(${ids}::uuid[]) and listed
    order by signature_count desc, id desc`;
}

export interface KnownWord {
  word: string;
  titles: number;
}

/** Words of titles that may be meant by a misspelt one, the commonest first. */
export async function wordsNear(db: Db, variants: string[]): Promise<KnownWord[]> {
  return db<KnownWord[]>`
    select word, titles from search_words
    where variants && ${variants}
    order by titles desc, word limit 500`;
}

/** Of these words, those that are in titles. */
export async function knownWords(db: Db, words: string[]): Promise<KnownWord[]> {
  return db<KnownWord[]>`select word, titles from search_words where word = any(${words})`;
}

/** In which languages most documents are. */
export async function mainLanguages(db: Db, limit: number): Promise<string[]> {
  const rows = await db`
    select language from search_languages order by documents desc, language limit ${limit}`;
  return rows.map(({ language }) => language as string);
}

export interface TitleFound {
  id: string;
  title: string;
}

/** Titles that have most of the words, in a few thousand that have any. */
export async function titlesLike(
  db: Db,
  match: string,
  words: string,
  limit: number,
): Promise<TitleFound[]> {
  return db<TitleFound[]>`
    select p.id, p.title from (
      select d.petition_id, ts_rank(d.title, ${words}::tsquery, 1) as rank
      from search_documents d where d.title @@ ${match}::tsquery
      order by rank desc, d.petition_id desc limit ${limit}
    ) d
    join petitions p on p.id = d.petition_id
    where p.listed and p.status = 'active'
    order by d.rank desc, p.id desc`;
}

/** Whether any document has that. */
export async function isAnywhere(db: Db, match: string): Promise<boolean> {
  const [row] = await db`
    select exists (select from search_documents where document @@ ${match}::tsquery) as found`;
  return row!.found as boolean;
}

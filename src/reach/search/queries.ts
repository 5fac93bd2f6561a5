import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db, Query } from '../../platform/db.ts';
import { facetGroups, type FacetGroup } from './facets.ts';
import type { Scan, WordIndex } from './cost-model.ts';
import { byRow, byWordIndex, type Match } from './matching.ts';
import type { Ranking } from './query-analysis.ts';

export interface Found {
  id: string;
  key: number | string;
}

/** Where a page begins: behind these keys. */
export type After = CursorKeys | null;

/** PostgreSQL's largest integer, above every bucket. */
export const maxInteger = 2 ** 31 - 1;

export interface Page {
  match: Match;
  after: After;
  limit: number;
}

const isAfter = (db: Db, [key, id]: [string, string], type: Query, after: After): Query =>
  after ? db`(${db(key)}, ${db(id)}) < (${after[0]!}::${type}, ${after[1]!}::uuid)` : db`true`;

/**
 * How well a document fits and how well known it is, in one number. Words in the title count most, words in tags
 * less; a short title counts more, a title of exactly these words most. Without words: how well known it is.
 */
const relevanceScore = (db: Db, ranking: Ranking | null): Query =>
  ranking === null
    ? db`d.known`
    : db`(d.known / 10000
        + ts_rank('{0.2, 0.4, 0.4, 1}', d.title, ${ranking.words}::tsquery, 1) * 10000
          * (1 + (d.known / 10000) / 40.0::float8)
        + case when d.title @@ ${ranking.whole}::tsquery then 10000 else 0 end)::integer`;

/** A result that was read as a whole. */
export interface ExactResult {
  page: Found[];
  groups: FacetGroup[];
}

/** Ranks and counts every match. */
export function readExact(
  db: Db,
  ranking: Ranking | null,
  { match, after, limit }: Page,
): Promise<ExactResult> {
  const page = db`
    select petition_id as id, key from found
    where ${isAfter(db, ['key', 'petition_id'], db`integer`, after)}
    order by key desc, petition_id desc limit ${limit}`;
  return countAndRead(db, match, relevanceScore(db, ranking), page);
}

/** Sorts and counts every match. */
export function readExactSorted(
  db: Db,
  order: SortOrder,
  { match, after, limit }: Page,
): Promise<ExactResult> {
  const column = `p.${order.column}`;
  const page = db`
    select p.id, ${keyOf(db, order, column)} as key
    from found join petitions p on p.id = found.petition_id
    where p.listed and ${isAfter(db, [column, 'p.id'], keyType(db, order), after)}
    order by ${db(column)} desc, p.id desc limit ${limit}`;
  return countAndRead(db, match, db`0`, page);
}

async function countAndRead(db: Db, match: Match, key: Query, page: Query): Promise<ExactResult> {
  return db.one<ExactResult>`
    with found as materialized (
      select d.petition_id, d.status, d.category_id, d.country, d.tag_keys, ${key} as key
      from search_documents d where ${byWordIndex(db, match)}
    )
    select ${facetGroups(db, db`found`)} as groups,
      (select coalesce(json_agg(p), '[]') from (${page}) p) as page`;
}

/**
 * An order by a column of petitions. Documents have it roughly, as a bucket: a whole number that grows with the key,
 * so that signing seldom changes it.
 */
export interface SortOrder {
  column: 'sort_at' | 'sort_count' | 'sort_trend';
  /** The highest bucket that a document of this key can have. Documents follow signing a moment later. */
  maxBucketOf: (key: string | number) => number;
}

const bucketOf = (db: Db, { column }: SortOrder): Query =>
  ({ sort_at: db`d.day`, sort_count: db`d.known / 10000`, sort_trend: db`d.trend` })[column];

const keyType = (db: Db, { column }: SortOrder): Query =>
  ({ sort_at: db`timestamptz`, sort_count: db`integer`, sort_trend: db`float8` })[column];

const keyOf = (db: Db, order: SortOrder, column: string): Query =>
  order.column === 'sort_at'
    ? db`to_char(${db(column)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : db`${db(column)}`;

/** Tries scans until one finds enough. The last one always does. */
export async function readFirst<T>(
  scans: readonly Scan[],
  read: (scan: Scan) => Promise<T | undefined>,
): Promise<T> {
  for (const scan of scans) {
    const result = await read(scan);
    if (result !== undefined) return result;
  }
  throw new Error('The last scan must read all documents.');
}

/** Only a scan of all documents may find less than a page. */
const ifEnough = (rows: Found[], limit: number, scan: Scan): Found[] | undefined =>
  scan === 'all' || rows.length >= limit ? rows : undefined;

/** A page in an order of petitions; undefined if the scan finds too few. */
export async function readSorted(
  db: Db,
  order: SortOrder,
  page: Page,
  scan: Scan,
): Promise<Found[] | undefined> {
  const rows = await (typeof scan === 'object'
    ? walkSorted(db, order, page, scan.maxRows)
    : indexSorted(db, order, page, scan));
  return ifEnough(rows, page.limit, scan);
}

async function walkSorted(
  db: Db,
  order: SortOrder,
  { match, after, limit }: Page,
  maxRows: number,
): Promise<Found[]> {
  const { column } = order;
  return db<Found[]>`
    select p.id, ${keyOf(db, order, 'p.key')} as key from (
      select id, ${db(column)} as key from petitions
      where listed and ${isAfter(db, [column, 'id'], keyType(db, order), after)}
      order by ${db(column)} desc, id desc limit ${maxRows}
    ) p
    cross join lateral (
      select title, document, status, category_id, country, tag_keys from search_documents
      where petition_id = p.id offset 0
    ) d
    where ${byRow(db, match)}
    order by p.key desc, p.id desc limit ${limit}`;
}

/** Reads every match by a word index, and petitions in the order of buckets until the page is full. */
async function indexSorted(
  db: Db,
  order: SortOrder,
  { match, after, limit }: Page,
  index: WordIndex,
): Promise<Found[]> {
  const { column, maxBucketOf } = order;
  return db<Found[]>`
    with found as materialized (
      select d.petition_id as id, ${bucketOf(db, order)} as bucket
      from search_documents d where ${byWordIndex(db, match, index)}
    ),
    page as (
      select p.id, p.key
      from (
        select id, bucket from found
        where ${after ? db`bucket <= ${maxBucketOf(after[0]!)}::integer` : db`true`}
        order by bucket desc offset 0
      ) f
      cross join lateral (
        select id, ${db(column)} as key from petitions
        where id = f.id and listed
          and ${isAfter(db, [column, 'id'], keyType(db, order), after)} offset 0
      ) p
      order by f.bucket desc fetch first (${limit}::integer) rows with ties
    )
    select id, ${keyOf(db, order, 'page.key')} as key from page
    order by page.key desc, id desc limit ${limit}`;
}

/** A page by how well known documents are; undefined if the scan finds too few. */
export async function readBestKnown(
  db: Db,
  { match, after, limit }: Page,
  scan: Scan,
): Promise<Found[] | undefined> {
  const isBehind = isAfter(db, ['known', 'petition_id'], db`integer`, after);
  const found =
    typeof scan === 'object'
      ? db`
        select d.petition_id, d.known from (${bestKnownRows(db, isBehind, scan.maxRows)}) d
        where ${byRow(db, match)}`
      : db`
        select d.petition_id, d.known from search_documents d
        where ${byWordIndex(db, match, scan)}`;
  const rows = await db<Found[]>`
    with found as ${typeof scan === 'object' ? db`` : db`materialized`} (${found})
    select petition_id as id, known as key from found where ${isBehind}
    order by known desc, petition_id desc limit ${limit}`;
  return ifEnough(rows, limit, scan);
}

const bestKnownRows = (db: Db, where: Query, maxRows: number): Query => db`
  select petition_id, known, title, document, status, category_id, country, tag_keys
  from search_documents where ${where}
  order by known desc, petition_id desc limit ${maxRows}`;

/** Documents whose bucket `known` is from `high` down to `low`, or as low as it takes to find enough. */
export interface BucketRange {
  high: number;
  low: number | undefined;
}

export interface RankedTitles {
  ranked: Found[];
  /** The lowest bucket that was read. */
  low: number;
}

/** Ranks the titles in a range; undefined if a walk ends before it found `minTitles`. */
export async function rankTitles(
  db: Db,
  { match, ranking, after, limit }: Page & { ranking: Ranking | null },
  { high, low, minTitles }: BucketRange & { minTitles: number },
  scan: Scan,
): Promise<RankedTitles | undefined> {
  const isInRange = (known: Query) =>
    db`${known} between ${low ?? 0}::integer and ${high}::integer`;
  const maxTitles = low === undefined ? minTitles : maxInteger;
  // A sum keeps PostgreSQL from the index of `known`.
  const found =
    typeof scan === 'object'
      ? db`
        select d.petition_id, d.known, d.title
        from (${bestKnownRows(db, isInRange(db`known`), low === undefined ? scan.maxRows : maxInteger)}) d
        where ${byRow(db, match)}`
      : db`
        select d.petition_id, d.known, d.title from search_documents d
        where ${byWordIndex(db, match, scan)}
          and ${isInRange(db`d.known + 0`)} offset 0`;
  const { ranked, count, lowest } = await db.one<{
    ranked: Found[];
    count: number;
    lowest: number;
  }>`
    with d as materialized (
      select * from (${found}) d
      order by known desc fetch first (${maxTitles}::integer) rows with ties
    ),
    scored as (select petition_id as id, ${relevanceScore(db, ranking)} as key from d)
    select (select count(*)::integer from d) as count, (select min(known) from d) as lowest,
      (select coalesce(json_agg(p), '[]') from (
        select id, key from scored where ${isAfter(db, ['key', 'id'], db`integer`, after)}
        order by key desc, id desc limit ${limit}
      ) p) as ranked`;
  if (low !== undefined) return { ranked, low };
  if (count >= minTitles) return { ranked, low: lowest };
  return typeof scan === 'object' ? undefined : { ranked, low: 0 };
}

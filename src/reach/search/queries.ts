import type { Db, Query } from '../../platform/db.ts';
import { facetGroups, type FacetGroup } from './facets.ts';
import type { Scan, WordIndex } from './cost-model.ts';
import { byRow, byWordIndex, type Match } from './matching.ts';
import type { Ranking } from './query-analysis.ts';
import {
  maxInteger,
  type ColumnOrder,
  type Position,
  type RelevanceOrder,
  type ResultOrder,
} from './result-order.ts';

export interface Page {
  match: Match;
  limit: number;
}

export interface PageAfter extends Page {
  after: Position | null;
}

const isAfter = (db: Db, [key, id]: [string, string], type: Query, after: Position | null): Query =>
  after ? db`(${db(key)}, ${db(id)}) < (${after.key}::${type}, ${after.id}::uuid)` : db`true`;

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
  page: Position[];
  groups: FacetGroup[];
}

/** Reads, orders and counts every match. */
export async function readExact(
  db: Db,
  order: ResultOrder,
  { match, ranking, limit }: Page & { ranking: Ranking | null },
): Promise<ExactResult> {
  const isRanked = order.sort === 'relevance';
  return db.one<ExactResult>`
    with found as materialized (
      select d.petition_id, d.status, d.category_id, d.country, d.tag_keys,
        ${isRanked ? relevanceScore(db, ranking) : db`0`} as key
      from search_documents d where ${byWordIndex(db, match)}
    )
    select ${facetGroups(db, db`found`)} as groups,
      (select coalesce(json_agg(p), '[]') from (
        ${isRanked ? rankedPage(db, order, limit) : sortedPage(db, order, limit)}
      ) p) as page`;
}

const rankedPage = (db: Db, { after }: RelevanceOrder, limit: number): Query => db`
  select petition_id as id, key from found
  where ${isAfter(db, ['key', 'petition_id'], db`integer`, after)}
  order by key desc, petition_id desc limit ${limit}`;

function sortedPage(db: Db, order: ColumnOrder, limit: number): Query {
  const column = `p.${order.column}`;
  return db`
    select p.id, ${keyOf(db, order, column)} as key
    from found join petitions p on p.id = found.petition_id
    where p.listed and ${isAfter(db, [column, 'p.id'], keyType(db, order), order.after)}
    order by ${db(column)} desc, p.id desc limit ${limit}`;
}

const bucketOf = (db: Db, { column }: ColumnOrder): Query =>
  ({ sort_at: db`d.day`, sort_count: db`d.known / 10000`, sort_trend: db`d.trend` })[column];

const keyType = (db: Db, { column }: ColumnOrder): Query =>
  ({ sort_at: db`timestamptz`, sort_count: db`integer`, sort_trend: db`float8` })[column];

const keyOf = (db: Db, order: ColumnOrder, column: string): Query =>
  order.column === 'sort_at'
    ? db`to_char(${db(column)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : db`${db(column)}`;

/**
 * The rows of the first statement that finds a page. The last one reads all documents, so it may find less. A statement
 * runs when it is awaited.
 */
async function firstFullPage(
  statements: readonly Query<Position[]>[],
  limit: number,
): Promise<Position[]> {
  let rows: Position[] = [];
  for (const statement of statements) {
    rows = await statement;
    if (rows.length >= limit) break;
  }
  return rows;
}

/** A page in the order of a column, by the first scan that finds enough. */
export const readSorted = (
  db: Db,
  order: ColumnOrder,
  page: Page,
  scans: readonly Scan[],
): Promise<Position[]> =>
  firstFullPage(
    scans.map((scan) =>
      typeof scan === 'object'
        ? walkSorted(db, order, page, scan.maxRows)
        : indexSorted(db, order, page, scan),
    ),
    page.limit,
  );

function walkSorted(
  db: Db,
  order: ColumnOrder,
  { match, limit }: Page,
  maxRows: number,
): Query<Position[]> {
  const { column, after } = order;
  return db<Position[]>`
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
function indexSorted(
  db: Db,
  order: ColumnOrder,
  { match, limit }: Page,
  index: WordIndex,
): Query<Position[]> {
  const { column, maxBucketOf, after } = order;
  return db<Position[]>`
    with found as materialized (
      select d.petition_id as id, ${bucketOf(db, order)} as bucket
      from search_documents d where ${byWordIndex(db, match, index)}
    ),
    page as (
      select p.id, p.key
      from (
        select id, bucket from found
        where ${after ? db`bucket <= ${maxBucketOf(after.key)}::integer` : db`true`}
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

/** A page by how well known documents are, by the first scan that finds enough. */
export const readBestKnown = (
  db: Db,
  page: PageAfter,
  scans: readonly Scan[],
): Promise<Position[]> =>
  firstFullPage(
    scans.map((scan) => bestKnownPage(db, page, scan)),
    page.limit,
  );

function bestKnownPage(db: Db, { match, after, limit }: PageAfter, scan: Scan): Query<Position[]> {
  const isBehind = isAfter(db, ['known', 'petition_id'], db`integer`, after);
  const found =
    typeof scan === 'object'
      ? db`
        select d.petition_id, d.known from (${bestKnownRows(db, isBehind, scan.maxRows)}) d
        where ${byRow(db, match)}`
      : db`
        select d.petition_id, d.known from search_documents d
        where ${byWordIndex(db, match, scan)}`;
  return db<Position[]>`
    with found as ${typeof scan === 'object' ? db`` : db`materialized`} (${found})
    select petition_id as id, known as key from found where ${isBehind}
    order by known desc, petition_id desc limit ${limit}`;
}

const bestKnownRows = (db: Db, where: Query, maxRows: number): Query => db`
  select petition_id, known, title, document, status, category_id, country, tag_keys
  from search_documents where ${where}
  order by known desc, petition_id desc limit ${maxRows}`;

/** A way to read titles by buckets `known`, from `high` down to `low`, or as low as it takes to find enough. */
export interface TitleScan {
  scan: Scan;
  high: number;
  low: number | undefined;
  /** Enough titles, if `low` is undefined. */
  minTitles: number;
}

export interface RankedTitles {
  ranked: Position[];
  /** The lowest bucket that was read. */
  low: number;
}

/** Ranks titles, by the first scan that finds enough. The last one always does. */
export async function rankTitles(
  db: Db,
  ranking: Ranking | null,
  page: PageAfter,
  scans: readonly TitleScan[],
): Promise<RankedTitles> {
  for (const titleScan of scans) {
    const { scan, low, minTitles } = titleScan;
    const { ranked, count, lowest } = await rankedTitles(db, ranking, page, titleScan);
    if (low !== undefined) return { ranked, low };
    if (count >= minTitles) return { ranked, low: lowest };
    if (scan === 'all') return { ranked, low: 0 };
  }
  throw new Error('The last scan must read all documents.');
}

function rankedTitles(
  db: Db,
  ranking: Ranking | null,
  { match, after, limit }: PageAfter,
  { scan, high, low, minTitles }: TitleScan,
): Promise<{ ranked: Position[]; count: number; lowest: number }> {
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
  return db.one`
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
}

import type { Db, Query } from '../../platform/db.ts';
import {
  asRows,
  columns,
  petitionSums,
  summed,
  type Cell,
} from '../../reach/analytics/sum-queries.ts';
import type { IdRange, KeyRange, SignatureKey } from './keys.ts';
import { inRange } from './signature-queries.ts';

/** A row of a table of sums. */
export interface SumRow {
  table: string;
  petition_id: string;
  /** Its columns but the count, as JSON. */
  key: string;
  count: number;
}

/** The rows that the cells make in each table of sums. */
const sumsOf = (db: Db, cells: Query, since: Date) =>
  petitionSums.map((sum, index) => {
    const names = columns(db, [...sum.keys, 'count']);
    return db`
      ${index > 0 ? db`union all` : db``}
      select ${sum.table}::text as "table", s.petition_id, (to_jsonb(s) - 'count')::text as key, s.count
      from (${summed(db, sum, cells, since)}) as s (${names})`;
  });

/** The sums that the valid signatures in the range make. `since` is where the window of places begins. */
export async function sumsOfSignatures(
  db: Db,
  range: KeyRange<SignatureKey>,
  since: Date,
): Promise<SumRow[]> {
  return db<SumRow[]>`
    with signature_cell as materialized (
      select s.petition_id, date_trunc('hour', s.created_at, 'UTC') as hour, s.place, s.source,
        count(*)::integer as count
      from signatures s
      where s.invalidated_by is null and ${inRange(db, range)}
      group by 1, 2, 3, 4
    )
    ${sumsOf(db, db`signature_cell as cell`, since)}`;
}

/** The sums that these cells make. */
export async function sumsOfCells(db: Db, cells: Cell[], since: Date): Promise<SumRow[]> {
  return db<SumRow[]>`${sumsOf(db, asRows(db, cells), since)}`;
}

/** The sums that are stored for petitions in the range. */
export async function storedSums(db: Db, { after, to }: IdRange, since: Date): Promise<SumRow[]> {
  return db<SumRow[]>`${petitionSums.map(
    ({ table, windowed }, index) => db`
      ${index > 0 ? db`union all` : db``}
      select ${table}::text as "table", petition_id, (to_jsonb(s) - 'count')::text as key, count
      from ${db(table)} s
      where petition_id > ${after} and petition_id <= ${to}
        ${windowed ? db`and hour >= ${since}` : db``}`,
  )}`;
}

export interface ShareCount {
  share_id: string;
  count: number;
}

/** Valid signatures in the range by the share that led to them. */
export async function signaturesByShare(
  db: Db,
  range: KeyRange<SignatureKey>,
): Promise<ShareCount[]> {
  return db<ShareCount[]>`
    select s.share_id, count(*)::integer as count from signatures s
    where s.invalidated_by is null and s.share_id is not null and ${inRange(db, range)}
    group by s.share_id`;
}

/** The sums that shares of petitions in the range hold. */
export async function storedShares(db: Db, { after, to }: IdRange): Promise<ShareCount[]> {
  return db<ShareCount[]>`
    select id as share_id, signatures as count from shares
    where petition_id > ${after} and petition_id <= ${to}`;
}

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
  /** Its columns without the count, as JSON. */
  key: string;
  count: number;
}

/** The rows of each table of sums for these cells. */
const sumsOf = (db: Db, cells: Query, since: Date) =>
  petitionSums.map((sum, index) => {
    const names = columns(db, [...sum.keys, 'count']);
    return db`
      ${index > 0 ? db`union all` : db``}
      select ${sum.table}::text as "table", s.petition_id, (to_jsonb(s) - 'count')::text as key, s.count
      from (${summed(db, sum, cells, since)}) as s (${names})`;
  });

/** Computes the sums of the valid signatures in the range. `since` is the start of the window of places. */
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
      where s.state = 'counted' and ${inRange(db, range)}
      group by 1, 2, 3, 4
    )
    ${sumsOf(db, db`signature_cell as cell`, since)}`;
}

/** Computes the sums of these cells. */
export async function sumsOfCells(db: Db, cells: Cell[], since: Date): Promise<SumRow[]> {
  return db<SumRow[]>`${sumsOf(db, asRows(db, cells), since)}`;
}

/** Reads the stored sums of petitions in the range. */
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

/** Counts valid signatures in the range by share. */
export async function signaturesByShare(
  db: Db,
  range: KeyRange<SignatureKey>,
): Promise<ShareCount[]> {
  return db<ShareCount[]>`
    select s.share_id, count(*)::integer as count from signatures s
    where s.state = 'counted' and s.share_id is not null and ${inRange(db, range)}
    group by s.share_id`;
}

/** Reads the stored counts of shares of petitions in the range. */
export async function storedShares(db: Db, { after, to }: IdRange): Promise<ShareCount[]> {
  return db<ShareCount[]>`
    select id as share_id, signatures as count from shares
    where petition_id > ${after} and petition_id <= ${to}`;
}

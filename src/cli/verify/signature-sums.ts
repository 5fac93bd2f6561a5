import type { Db, Query } from '../../platform/db.ts';
import {
  asRows,
  columns,
  petitionSums,
  summed,
  type Cell,
} from '../../reach/analytics/sum-queries.ts';
import { maxWindowHours } from '../../reach/analytics/sums.ts';
import type { PetitionCheck } from './check.ts';
import { isSignatureIn, type IdRange, type SignatureRange } from './pages.ts';

/**
 * Sums by hour, place, region and source are those of the valid signatures, without what the follower has not seen yet.
 * Sums of zero are not stored.
 */
export const signatureSums: PetitionCheck = {
  name: 'signature-sums',
  subject: 'sums',

  async compare(tx, batch) {
    const placesSince = new Date(batch.now.getTime() - maxWindowHours * 3_600_000);
    const difference = new Map<string, number>();
    const add = (rows: SumRow[], sign: 1 | -1) => {
      for (const { table, petition_id, key, count } of rows) {
        const sumKey = `${petition_id} ${table} ${key}`;
        const sum = (difference.get(sumKey) ?? 0) + sign * count;
        // Entries without a difference would fill the memory.
        if (sum === 0) difference.delete(sumKey);
        else difference.set(sumKey, sum);
      }
    };
    for (const page of batch.signaturePages) {
      add(await sumsOfSignatures(tx, page, placesSince), 1);
    }
    for (const cells of batch.unseen.cells) {
      add(await sumsOfCells(tx, cells, placesSince), -1);
    }
    const stored = await storedSums(tx, batch.range, placesSince);
    add(stored, -1);
    const wrong = [...difference.keys()].map((sumKey) => {
      const [petitionId, table] = sumKey.split(' ');
      return `petition ${petitionId} in ${table}`;
    });
    return { checked: stored.length, wrong };
  },
};

/** A row of a table of sums. */
interface SumRow {
  table: string;
  petition_id: string;
  /** Its columns without the count, as JSON. */
  key: string;
  count: number;
}

/** The rows of each table of sums for these cells. */
const sumsOf = (db: Db, cells: Query, placesSince: Date) =>
  petitionSums.map((sum, index) => {
    const names = columns(db, [...sum.keys, 'count']);
    return db`
      ${index > 0 ? db`union all` : db``}
      select ${sum.table}::text as "table", s.petition_id, (to_jsonb(s) - 'count')::text as key, s.count
      from (${summed(db, sum, cells, placesSince)}) as s (${names})`;
  });

/** Computes the sums of the valid signatures in the range. */
async function sumsOfSignatures(
  db: Db,
  page: SignatureRange,
  placesSince: Date,
): Promise<SumRow[]> {
  return db<SumRow[]>`
    with signature_cell as materialized (
      select s.petition_id, date_trunc('hour', s.created_at, 'UTC') as hour, s.place, s.source,
        count(*)::integer as count
      from signatures s
      where s.state = 'counted' and ${isSignatureIn(db, page)}
      group by 1, 2, 3, 4
    )
    ${sumsOf(db, db`signature_cell as cell`, placesSince)}`;
}

async function sumsOfCells(db: Db, cells: Cell[], placesSince: Date): Promise<SumRow[]> {
  return db<SumRow[]>`${sumsOf(db, asRows(db, cells), placesSince)}`;
}

/** Reads the stored sums of petitions in the range. */
async function storedSums(db: Db, { after, to }: IdRange, placesSince: Date): Promise<SumRow[]> {
  return db<SumRow[]>`${petitionSums.map(
    ({ table, windowed }, index) => db`
      ${index > 0 ? db`union all` : db``}
      select ${table}::text as "table", petition_id, (to_jsonb(s) - 'count')::text as key, count
      from ${db(table)} s
      where petition_id > ${after} and petition_id <= ${to}
        ${windowed ? db`and hour >= ${placesSince}` : db``}`,
  )}`;
}

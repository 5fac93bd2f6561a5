import { directSource } from '../../campaigns/signatures/signatures.ts';
import type { Db, Tx } from '../../platform/db.ts';

/** Under which the follower's place in the log of events is kept. */
export const followerName = 'signature-sums';

/** Signatures of a petition that are alike, as many as were added or, below zero, taken away. */
export type Cell = {
  petition_id: string;
  /** Its beginning, as a date-time. */
  hour: string;
  place: string | null;
  source: string | null;
  count: number;
};

/** A part of a statement. */
type Fragment = ReturnType<typeof day>;

/** A table of sums of cells: which columns are its key, and what of a `cell` they are. */
export interface Sum {
  table: string;
  keys: readonly string[];
  of: (db: Db) => Fragment;
  /** Holds places, and those of the last hours only. */
  windowed?: boolean;
}

const day = (db: Db) => db`(cell.hour at time zone 'UTC')::date`;

/** Sums of each petition. */
export const petitionSums: readonly Sum[] = [
  {
    table: 'signature_hours',
    keys: ['petition_id', 'hour'],
    of: (db) => db`cell.petition_id, cell.hour`,
  },
  {
    table: 'signature_place_hours',
    keys: ['petition_id', 'hour', 'place'],
    of: (db) => db`cell.petition_id, cell.hour, cell.place`,
    windowed: true,
  },
  {
    table: 'signature_region_days',
    keys: ['petition_id', 'day', 'region'],
    // The first two parts of a place's path, or the one there is.
    of: (db) =>
      db`cell.petition_id, ${day(db)}, coalesce(substring(cell.place from '^[^.]+(?:[.][^.]+)?'), '')`,
  },
  {
    table: 'signature_source_days',
    keys: ['petition_id', 'day', 'source'],
    of: (db) => db`cell.petition_id, ${day(db)}, coalesce(cell.source, ${directSource}::text)`,
  },
];

/** Sums of all petitions, and of which sums of the petitions they are sums. */
export const overallSums: readonly (Sum & { from: string; as: (db: Db) => Fragment })[] = [
  {
    table: 'all_place_hours',
    keys: ['hour', 'place'],
    of: (db) => db`cell.hour, cell.place`,
    windowed: true,
    from: 'signature_place_hours',
    as: (db) => db`hour, place`,
  },
  {
    table: 'all_country_days',
    keys: ['day', 'country'],
    of: (db) => db`${day(db)}, coalesce(split_part(cell.place, '.', 1), '')`,
    from: 'signature_region_days',
    as: (db) => db`day, split_part(region, '.', 1)`,
  },
];

export const allSums: readonly Sum[] = [...petitionSums, ...overallSums];

/** Names of columns, none of which comes from outside. */
export const columns = (db: Db, names: readonly string[]) => db.unsafe(names.join(', '));

/** Cells as rows of `cell`. */
export const asRows = (db: Db, cells: Cell[]) => db`
  jsonb_to_recordset(${db.json(cells)}) as cell (petition_id uuid, hour timestamptz, place text,
    source text, count integer)`;

/** The rows of a sum that those of `cell` make. `since` is where its window begins. */
export const summed = (db: Db, { keys, of, windowed }: Sum, cells: Fragment, since: Date) => {
  const places = columns(
    db,
    keys.map((_, index) => String(index + 1)),
  );
  return db`
    select ${of(db)}, sum(cell.count)::integer
    from ${cells}
    ${windowed ? db`where cell.place is not null and cell.hour >= ${since}` : db``}
    group by ${places}
    having sum(cell.count) <> 0
    order by ${places}`;
};

/**
 * Adds cells to a sum, in one statement. Rows are locked in the order of the key; the follower and
 * rebuilding, which alone write here, hold the follower's row besides.
 */
export async function addCells(tx: Tx, sum: Sum, cells: Cell[], since: Date): Promise<void> {
  const { table, keys } = sum;
  await tx`
    insert into ${tx(table)} (${columns(tx, [...keys, 'count'])})
    ${summed(tx, sum, asRows(tx, cells), since)}
    on conflict (${columns(tx, keys)}) do update set count = ${tx(table)}.count + excluded.count`;
}

/** Removes those rows to which the cells belong that have come to nothing. */
export async function removeEmpty(tx: Tx, { table, keys, of }: Sum, cells: Cell[]): Promise<void> {
  await tx`
    delete from ${tx(table)}
    where count = 0 and (${columns(tx, keys)}) in (select ${of(tx)} from ${asRows(tx, cells)})`;
}

/** Up to which event the sums of these petitions were made anew from rows. */
export async function rebuiltUpTo(tx: Tx, petitionIds: string[]): Promise<Map<string, bigint>> {
  const rows = await tx<{ petition_id: string; position: string }[]>`
    select petition_id, position::text from rebuilt_sums
    where petition_id = any(${petitionIds}::uuid[])`;
  return new Map(rows.map(({ petition_id: id, position }) => [id, BigInt(position)]));
}

/** Rows that one statement removes. */
const batchSize = 10_000;

/** Removes the sums of places in hours before that. */
export async function removeOldPlaces(db: Db, before: Date): Promise<void> {
  for (const { table } of allSums.filter(({ windowed }) => windowed)) {
    let removed;
    do {
      removed = await db`
        delete from ${db(table)} where ctid = any(array(
          select ctid from ${db(table)} where hour < ${before} limit ${batchSize}))`;
    } while (removed.count === batchSize);
  }
}

/** Removes notes of what was made anew where the follower has come to its last event. */
export async function removeOldNotes(db: Db): Promise<void> {
  await db`
    delete from rebuilt_sums r using event_followers f
    where f.name = ${followerName} and r.transaction <= f.transaction`;
}

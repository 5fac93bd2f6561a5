import { directSource } from '../../campaigns/signatures/signatures.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { EventType } from '../../platform/events.ts';

/** Name of the follower in event_followers. */
export const followerName = 'signature-sums';

/**
 * Types of the events that the sums add up. All are stored under the lock of the petition, in the order of their positions.
 * signature.forgotten is not: its position says nothing about them.
 */
export const summedTypes = [
  'signature.created',
  'signature.removed',
  'signature.invalidated',
  'signature.restored',
] as const satisfies EventType[];

/** Change in a petition's number of signatures with the same hour, place and source. */
export type Cell = {
  petition_id: string;
  /** Start of the hour, as a date-time. */
  hour: string;
  place: string | null;
  source: string | null;
  count: number;
};

/** A part of an SQL statement. */
type Fragment = ReturnType<typeof day>;

/** A table of sums over cells. `of` selects the values of its key columns from a `cell`. */
export interface Sum {
  table: string;
  keys: readonly string[];
  of: (db: Db) => Fragment;
  /** Holds only cells with a place, of the last hours. */
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
    // The first two parts of a place's path, or the only one.
    of: (db) =>
      db`cell.petition_id, ${day(db)}, coalesce(substring(cell.place from '^[^.]+(?:[.][^.]+)?'), '')`,
  },
  {
    table: 'signature_source_days',
    keys: ['petition_id', 'day', 'source'],
    of: (db) => db`cell.petition_id, ${day(db)}, coalesce(cell.source, ${directSource}::text)`,
  },
];

/** Platform-wide sums. `from` is the table of petition sums that they add up, `as` the key within it. */
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

/** Lists column names without quoting. They must not come from user input. */
export const columns = (db: Db, names: readonly string[]) => db.unsafe(names.join(', '));

/** SQL: the cells as rows named `cell`. */
export const asRows = (db: Db, cells: Cell[]) => db`
  jsonb_to_recordset(${db.json(cells)}) as cell (petition_id uuid, hour timestamptz, place text,
    source text, count integer)`;

/** SQL: the rows of a sum over cells. Windowed sums include cells from `since` on. */
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
 * Adds cells to a sum in one statement, and locks rows in the order of their key. Only the follower and
 * rebuilding write here, and both hold the lock on the follower.
 */
export async function addCells(tx: Tx, sum: Sum, cells: Cell[], since: Date): Promise<void> {
  const { table, keys } = sum;
  await tx`
    insert into ${tx(table)} (${columns(tx, [...keys, 'count'])})
    ${summed(tx, sum, asRows(tx, cells), since)}
    on conflict (${columns(tx, keys)}) do update set count = ${tx(table)}.count + excluded.count`;
}

/** Deletes the rows of the cells whose count is zero. */
export async function deleteEmpty(tx: Tx, { table, keys, of }: Sum, cells: Cell[]): Promise<void> {
  await tx`
    delete from ${tx(table)}
    where count = 0 and (${columns(tx, keys)}) in (select ${of(tx)} from ${asRows(tx, cells)})`;
}

/** Returns for each rebuilt petition the position of the last event that its sums include. */
export async function rebuiltPositions(
  tx: Tx,
  petitionIds: string[],
): Promise<Map<string, bigint>> {
  const rows = await tx<{ petition_id: string; position: string }[]>`
    select petition_id, position::text from rebuilt_sums
    where petition_id = any(${petitionIds}::uuid[])`;
  return new Map(rows.map(({ petition_id: id, position }) => [id, BigInt(position)]));
}

/** Rows per delete statement. */
const batchSize = 10_000;

/** Deletes the sums of places in hours before the time. */
export async function deleteOldPlaces(db: Db, before: Date): Promise<void> {
  for (const { table } of allSums.filter(({ windowed }) => windowed)) {
    let deleted;
    do {
      deleted = await db`
        delete from ${db(table)} where ctid = any(array(
          select ctid from ${db(table)} where hour < ${before} limit ${batchSize}))`;
    } while (deleted.count === batchSize);
  }
}

/** Deletes records of rebuilds whose events the follower has passed. */
export async function deleteOldRebuilds(db: Db): Promise<void> {
  await db`
    delete from rebuilt_sums r using event_followers f
    where f.name = ${followerName} and r.transaction <= f.transaction`;
}

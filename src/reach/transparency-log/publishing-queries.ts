import type { Db, Tx } from '../../platform/db.ts';
import type { Tile } from '../../platform/transparency/tiles.ts';

// Any number that nothing else in this database uses as an advisory lock.
const publishingLock = 7_240_157;

/** Keeps other processes from publishing until the transaction ends. Returns false if another one does. */
export const lockPublishing = (tx: Tx): Promise<boolean> =>
  tx.value<boolean>`select pg_try_advisory_xact_lock(${publishingLock}) as held`;

/** Reads the pending entries from one index to before another. */
export const readPendingEntries = (tx: Tx, from: number, to: number): Promise<Buffer[]> =>
  tx.column<Buffer>`
    select entry from transparency_pending_entries where index >= ${from} and index < ${to} order by index`;

export async function deletePendingEntries(tx: Tx, before: number): Promise<void> {
  await tx`delete from transparency_pending_entries where index < ${before}`;
}

/** Level of bundles of entries in the table. */
const entriesLevel = -1;

/** Selects the tiles as rows of the table. */
const tileRows = (db: Db, tiles: readonly Tile[]) => db`
  select * from unnest(
    ${tiles.map(({ level }) => (level === 'entries' ? entriesLevel : level))}::smallint[],
    ${tiles.map(({ index }) => index)}::bigint[], ${tiles.map(({ width }) => width)}::smallint[])`;

/** Notes partial tiles, so that their files are deleted later. */
export async function notePartialTiles(db: Db, tiles: readonly Tile[]): Promise<void> {
  await db`
    insert into transparency_partial_tiles (level, index, width)
    ${tileRows(db, tiles)}
    on conflict do nothing`;
}

/** Lists up to so many partial tiles whose full tile a tree has. `fullTiles`: how many each level has, from bundles up. */
export async function findReplacedTiles(
  db: Db,
  fullTiles: readonly number[],
  limit: number,
): Promise<Tile[]> {
  const rows = await db<{ level: number; index: string; width: number }[]>`
    select p.level, p.index, p.width
    from unnest(${[...fullTiles]}::bigint[]) with ordinality as f (count, number)
    join transparency_partial_tiles p on p.level = f.number - 2 and p.index < f.count
    order by p.level, p.index, p.width
    limit ${limit}`;
  return rows.map(({ level, index, width }) => ({
    level: level === entriesLevel ? 'entries' : level,
    index: Number(index),
    width,
  }));
}

/** Deletes the rows of partial tiles whose files are deleted. */
export async function forgetPartialTiles(db: Db, tiles: readonly Tile[]): Promise<void> {
  await db`
    delete from transparency_partial_tiles
    where (level, index, width) in (${tileRows(db, tiles)})`;
}

/** What is published of the log. */
export interface PublishedTree {
  origin: string;
  /** The number of entries. */
  size: number;
}

/** Reads what is published by this database; undefined if it has no log. */
export async function readPublishedTree(db: Pick<Db, 'first'>): Promise<PublishedTree | undefined> {
  const row = await db.first<{ origin: string; published_size: string }>`
    select origin, published_size from transparency_log`;
  return row && { origin: row.origin, size: Number(row.published_size) };
}

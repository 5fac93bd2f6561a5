import type { Db, Tx } from '../../platform/db.ts';
import { inList, withOthers, type PetitionFilter, type PetitionRow } from './queries.ts';

/**
 * The promoted petitions of a list that have the highest trend, in its order. Found by the index of
 * promoted ones first: to look for them in the order of trend would be to read that index to its end.
 */
export async function promotedIds(
  db: Db,
  filter: PetitionFilter,
  now: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    with promoted as materialized (
      select p.id, p.trend from petitions p
      where ${inList(db, filter)} and p.promoted_until > ${now}
    )
    select id from promoted order by trend desc, id desc limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Those of the ids that are in the list, in the order of the ids. */
export async function petitionsAmong(
  db: Db,
  filter: PetitionFilter,
  ids: string[],
  limit: number,
): Promise<PetitionRow[]> {
  if (ids.length === 0) return [];
  return db<PetitionRow[]>`
    ${withOthers(db)}
    where p.id = any(${ids}::uuid[]) and ${inList(db, filter)}
    order by array_position(${ids}::uuid[], p.id)
    limit ${limit}`;
}

/** Adds to the time for which a petition is promoted, from now where it is not. */
export async function promotePetition(
  tx: Tx,
  id: string,
  milliseconds: number,
  now: Date,
): Promise<void> {
  await tx`
    update petitions set promoted_until =
      greatest(promoted_until, ${now}) + ${milliseconds} * interval '1 millisecond'
    where id = ${id}`;
}

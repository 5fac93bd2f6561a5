import type { Db, Tx } from '../../platform/db.ts';
import { matchesFilter, selectForList, type PetitionFilter, type PetitionRow } from './queries.ts';

/**
 * Returns the promoted petitions of a list with the highest trend, in that order. The materialized CTE
 * makes PostgreSQL use the index of promoted petitions: without it, the index on trend is read to its end.
 */
export async function promotedIds(
  db: Db,
  filter: PetitionFilter,
  now: Date,
  limit: number,
): Promise<string[]> {
  return db.column<string>`
    with promoted as materialized (
      select p.id, p.sort_trend from petitions p
      where ${matchesFilter(db, filter)} and p.promoted_until > ${now}
    )
    select id from promoted order by sort_trend desc, id desc limit ${limit}`;
}

/** Returns the petitions of the list with these ids, in the order of the ids. */
export async function petitionsAmong(
  db: Db,
  filter: PetitionFilter,
  ids: string[],
  limit: number,
): Promise<PetitionRow[]> {
  if (ids.length === 0) return [];
  return db<PetitionRow[]>`
    ${selectForList(db)}
    where p.id = any(${ids}::uuid[]) and ${matchesFilter(db, filter)}
    order by array_position(${ids}::uuid[], p.id)
    limit ${limit}`;
}

/** Extends the promotion of a petition, or starts one now. */
export async function promotePetition(
  tx: Tx,
  id: string,
  durationMs: number,
  now: Date,
): Promise<void> {
  await tx`
    update petitions set promoted_until =
      greatest(promoted_until, ${now}) + ${durationMs} * interval '1 millisecond'
    where id = ${id}`;
}

import type { Db } from '../../platform/db.ts';

/** The position of a petition in the order of publishing. */
export interface Key {
  at: string;
  id: string;
}

/**
 * The key of the petition `step` places after this one, oldest first; undefined if there are fewer. Reads `step`
 * entries of the index petitions_listed_by_time, backwards.
 */
export async function keyAfter(db: Db, after: Key, step: number): Promise<Key | undefined> {
  const row = await db.first<{ at: Date; id: string }>`
    select sort_at as at, id from petitions
    where listed and (sort_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
    order by sort_at, id
    offset ${step - 1} limit 1`;
  return row && { at: row.at.toISOString(), id: row.id };
}

export interface PetitionEntry {
  slug: string;
  changed_at: Date;
  at: Date;
  id: string;
}

/** Listed petitions after one key, up to and including another, oldest first. */
export async function petitionsBetween(
  db: Db,
  after: Key,
  upTo: Key,
  limit: number,
): Promise<PetitionEntry[]> {
  return db<PetitionEntry[]>`
    select slug, greatest(sort_at, status_since) as changed_at, sort_at as at, id from petitions
    where listed and (sort_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
      and (sort_at, id) <= (${upTo.at}::timestamptz, ${upTo.id}::uuid)
    order by sort_at, id
    limit ${limit}`;
}

/** Organizations, newest first. */
export async function organizationSlugs(db: Db, limit: number): Promise<string[]> {
  return db.column<string>`
    select slug from organizations order by id desc limit ${limit}`;
}

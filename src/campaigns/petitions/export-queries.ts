import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { isNearPage, type PetitionFilter } from './queries.ts';

export interface PetitionKey {
  id: string;
  sort_at: Date;
}

/** Returns the ids and sort keys of a page of a list, newest first, without the texts. */
export async function listKeys(
  db: Db,
  filter: PetitionFilter,
  after: CursorKeys | null,
  limit: number,
): Promise<PetitionKey[]> {
  const start = after
    ? db`and (p.sort_at, p.id) < (${after[0]!}::timestamptz, ${after[1]!}::uuid)`
    : db``;
  return db<PetitionKey[]>`
    select p.id, p.sort_at from petitions p
    where ${isNearPage(db, filter, { sort: 'recent', key: db`p.sort_at`, after: start, limit })}
    order by p.sort_at desc, p.id desc
    limit ${limit}`;
}

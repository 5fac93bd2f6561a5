import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { matchesFilter, type PetitionFilter } from './queries.ts';

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
  return db<PetitionKey[]>`
    select p.id, p.sort_at from petitions p
    where ${matchesFilter(db, filter)}
      ${after ? db`and (p.sort_at, p.id) < (${after[0]!}::timestamptz, ${after[1]!}::uuid)` : db``}
    order by p.sort_at desc, p.id desc
    limit ${limit}`;
}

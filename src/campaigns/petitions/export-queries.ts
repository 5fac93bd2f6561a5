import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { inList, type PetitionFilter } from './queries.ts';

export interface PetitionKey {
  id: string;
  sort_at: Date;
}

/** Where the petitions of a list stand in it, newest first: what makes a page, without their texts. */
export async function listKeys(
  db: Db,
  filter: PetitionFilter,
  after: CursorKeys | null,
  limit: number,
): Promise<PetitionKey[]> {
  return db<PetitionKey[]>`
    select p.id, p.sort_at from petitions p
    where ${inList(db, filter)}
      ${after ? db`and (p.sort_at, p.id) < (${after[0]!}::timestamptz, ${after[1]!}::uuid)` : db``}
    order by p.sort_at desc, p.id desc
    limit ${limit}`;
}

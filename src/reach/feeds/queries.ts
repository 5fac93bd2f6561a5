import type { Db } from '../../platform/db.ts';

/** Returns when the current text of each petition was written. */
export async function textTimes(db: Db, petitionIds: string[]): Promise<Map<string, Date>> {
  const rows = await db<{ id: string; created_at: Date }[]>`
    select p.id, v.created_at
    from petitions p
    join petition_versions v on v.petition_id = p.id and v.version = p.version
    where p.id = any(${petitionIds}::uuid[])`;
  return new Map(rows.map(({ id, created_at }) => [id, created_at]));
}

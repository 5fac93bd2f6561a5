import type { Db } from '../../platform/db.ts';

export async function readCount(db: Db, petitionId: string): Promise<number> {
  const [row] = await db<{ signature_count: number }[]>`
    select signature_count from petitions where id = ${petitionId}`;
  return row?.signature_count ?? 0;
}

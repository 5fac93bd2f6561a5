import type { Db } from '../../platform/db.ts';
import { retentionInterval } from '../../platform/retention.ts';

/** Marks a challenge as used. Returns false if it was already, also for concurrent calls. */
export async function markUsed(db: Db, nonce: Buffer, expiresAt: Date): Promise<boolean> {
  return db.changed`
    insert into used_challenges (nonce, expires_at) values (${nonce}, ${expiresAt})
    on conflict do nothing`;
}

/** Deletes expired challenges, an hour late, since the clocks of processes and database can differ. */
export async function deleteExpired(db: Db): Promise<void> {
  await db`delete from used_challenges where expires_at < now() - ${retentionInterval('used_challenges')}::interval`;
}

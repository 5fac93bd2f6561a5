import type { Db } from '../../platform/db.ts';

/** Notes that a challenge is used up; false where it was already. Of many at once, one is first. */
export async function useUp(db: Db, nonce: Buffer, expiresAt: Date): Promise<boolean> {
  const { count } = await db`
    insert into used_challenges (nonce, expires_at) values (${nonce}, ${expiresAt})
    on conflict do nothing`;
  return count === 1;
}

/** An hour late, since the clocks of processes and database may differ. */
export async function forgetExpired(db: Db): Promise<void> {
  await db`delete from used_challenges where expires_at < now() - interval '1 hour'`;
}

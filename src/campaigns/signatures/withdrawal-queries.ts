import type { Db } from '../../platform/db.ts';

/**
 * Whether a user withdrew a signature of the petition, and no longer ago than `retentionRules.signature_withdrawals`. Stays
 * true when they sign again: look for a signature first.
 */
export const hasWithdrawn = (db: Db, petitionId: string, userId: string): Promise<boolean> =>
  db.exists`
    select from signature_withdrawals where petition_id = ${petitionId} and user_id = ${userId}`;

export const findWithdrawalsOfUser = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select w.petition_id, p.title as petition_title, w.withdrawn_at
    from signature_withdrawals w join petitions p on p.id = w.petition_id
    where w.user_id = ${userId}
    order by w.withdrawn_at`;

export async function deleteWithdrawalsBefore(db: Db, time: Date): Promise<void> {
  await db`delete from signature_withdrawals where withdrawn_at < ${time}`;
}

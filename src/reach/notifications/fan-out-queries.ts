import type { Db, Tx } from '../../platform/db.ts';

export interface FanOut {
  noticeId: string;
  petitionId: string;
  exceptIds: string[];
  audience: 'signers' | 'followers';
  afterId: string;
  /** The petition or update was removed meanwhile, or the closing date that it is about holds no longer. */
  obsolete: boolean;
}

/** SQL condition: the petition `p` is open, and closes on the date that the notice `n` is about. */
export const isStillClosing = (db: Db) => db`
  (p.status = 'active' and p.closes_at > now()
    and p.closes_at = (n.data ->> 'closes_at')::timestamptz) is true`;

/**
 * Locks and returns the fan-out that waited longest, if there is one that no other process holds.
 * Skips petitions that are under review.
 */
export async function takeFanOut(tx: Tx): Promise<FanOut | undefined> {
  return tx.first<FanOut>`
    select f.notice_id as "noticeId", f.petition_id as "petitionId", f.except_ids as "exceptIds",
      f.audience, f.after_id as "afterId",
      (p.deleted_at is not null and not n.data ? 'removed')
        or (n.type = 'petition_update' and not exists (
          select from updates where id = (n.data ->> 'update_id')::uuid))
        or (n.type = 'petition_closing' and not ${isStillClosing(tx)}) as obsolete
    from notification_fan_outs f
    join petitions p on p.id = f.petition_id
    join notices n on n.id = f.notice_id
    where p.deleted_at is not null or p.status in ('active', 'closed', 'victory')
    order by f.stepped_at
    limit 1
    for update of f skip locked`;
}

/**
 * Lets the transaction commit before it is on disk: the flushes of steps were a tenth of the server's,
 * and without them 10 to 20 % more people are notified in the same time (docs/benchmarks.md). If
 * PostgreSQL crashes in that moment, the notifications are lost together with the position of the
 * fan-out, so the step runs again. No mail is sent twice: `takeDue` commits durably before mails are
 * sent, and with it all earlier commits.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await tx`set local synchronous_commit = off`;
}

/** Returns the id of the last signature, or follower, of a full step, or undefined if fewer are left. */
export async function endOfRange(
  tx: Tx,
  { petitionId, afterId, audience }: FanOut,
  size: number,
): Promise<string | undefined> {
  if (audience === 'followers') {
    return tx.value<string | undefined>`
      select user_id from petition_follows
      where petition_id = ${petitionId} and user_id > ${afterId}
      order by user_id
      offset ${size - 1} limit 1`;
  }
  return tx.value<string | undefined>`
    select id from signatures where petition_id = ${petitionId} and id > ${afterId}
    order by id
    offset ${size - 1} limit 1`;
}

export async function advanceFanOut(tx: Tx, noticeId: string, afterId: string): Promise<void> {
  await tx`
    update notification_fan_outs set after_id = ${afterId}, stepped_at = clock_timestamp()
    where notice_id = ${noticeId}`;
}

/** Ends a fan-out. The notice's age counts from now, like that of its notifications. */
export async function endFanOut(tx: Tx, noticeId: string): Promise<void> {
  await tx`delete from notification_fan_outs where notice_id = ${noticeId}`;
  await tx`update notices set created_at = now() where id = ${noticeId}`;
}

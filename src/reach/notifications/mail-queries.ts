import type { NotificationType } from '../../identity/accounts/schema.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { NoticeData } from './schema.ts';
import { nextMail, wantsMail } from './notify-queries.ts';

/** Time within which a mail is sent or given up; then another process may try. */
const leaseMinutes = 5;

/**
 * Takes people whose mail is due, the most urgent and then the longest waiting first, so that no other
 * process sends to them meanwhile. No row stays locked while mails are sent.
 */
export async function takeDue(db: Db, limit: number): Promise<string[]> {
  const rows = await db`
    with due as materialized (
      select user_id from notification_inboxes where mail_due_at <= now()
      order by mail_due_at
      limit ${limit}
      for no key update skip locked
    )
    update notification_inboxes i set mail_due_at = now() + ${leaseMinutes} * interval '1 minute'
    from due where i.user_id = due.user_id
    returning i.user_id`;
  return rows.map(({ user_id }) => user_id);
}

export interface Waiting {
  user_id: string;
  email: string;
  notice_id: string;
  type: NotificationType;
  group_id: string | null;
  about: string;
  detail: string | null;
  data: NoticeData;
  /** False where the user has switched it off meanwhile, or its petition is gone. */
  wanted: boolean;
}

/** What waits to be told to these people by mail, in the order in which it happened. */
export async function readWaiting(db: Db, userIds: string[]): Promise<Waiting[]> {
  return db<Waiting[]>`
    select m.user_id, u.email, m.notice_id, n.type, n.group_id, n.about, n.detail, n.data,
      ${wantsMail(db)}
        and (n.petition_id is null or (p.id is not null and p.deleted_at is null))
        and (n.type <> 'petition_update' or (p.status in ('active', 'closed', 'victory')
          and exists (select from updates c where c.id = (n.data ->> 'update_id')::uuid)))
        as wanted
    from notification_mails m
    join notices n on n.id = m.notice_id
    join users u on u.id = m.user_id
    left join petitions p on p.id = n.petition_id
    where m.user_id = any(${userIds}::uuid[])
    order by m.notice_id`;
}

export interface Outcome {
  userId: string;
  /** What was told, or is not to be told any more. */
  noticeIds: string[];
  result: 'sent' | 'nothing to send' | 'failed';
}

/** Tries, over some two days, after which a mail is given up. */
const mostFailures = 12;

/** Notes what became of the mails that were due. */
export async function settle(tx: Tx, outcomes: Outcome[]): Promise<void> {
  const userIds = outcomes.map(({ userId }) => userId);
  await tx`
    select from notification_inboxes where user_id = any(${userIds}::uuid[])
    order by user_id
    for no key update`;
  const failed = outcomes.filter(({ result }) => result === 'failed');
  const settled = outcomes.filter(({ result }) => result !== 'failed');
  await noteFailures(tx, failed);
  const told = settled.flatMap(({ userId, noticeIds }) =>
    noticeIds.map((noticeId) => ({ userId, noticeId })),
  );
  await tx`
    delete from notification_mails where (user_id, notice_id) in (
      select * from unnest(${told.map(({ userId }) => userId)}::uuid[],
        ${told.map(({ noticeId }) => noticeId)}::uuid[]))`;
  const sent = settled.filter(({ result }) => result === 'sent');
  await tx`
    update notification_inboxes i set mail_failures = 0, mail_due_at = ${nextMail(tx)},
      mailed_at = case when user_id = any(${sent.map(({ userId }) => userId)}::uuid[]) then now()
        else mailed_at end
    where user_id = any(${settled.map(({ userId }) => userId)}::uuid[])`;
}

/** Puts off what could not be sent, from two minutes to half a day; in the end it is dropped. */
async function noteFailures(tx: Tx, failed: Outcome[]): Promise<void> {
  if (failed.length === 0) return;
  const userIds = failed.map(({ userId }) => userId);
  await tx`
    with tried as (
      update notification_inboxes set mail_failures = (mail_failures + 1) % ${mostFailures},
        mail_due_at = case when mail_failures + 1 < ${mostFailures}
          then now() + least(2 ^ (mail_failures + 1), 720) * interval '1 minute' end
      where user_id = any(${userIds}::uuid[])
      returning user_id, mail_due_at
    )
    delete from notification_mails m using tried t
    where m.user_id = t.user_id and t.mail_due_at is null`;
}

import {
  moderatorNotificationTypes,
  type NotificationType,
} from '../../identity/accounts/schema.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { MailQueue } from '../../platform/mail-queue.ts';
import type { Notice } from './schema.ts';
import type { Language } from '../../platform/pages/language.ts';
import { isStillClosing } from './fan-out-queries.ts';
import { nextMail, wantsMail } from './notify-queries.ts';

/** Other processes can take a mail after this time. Sending must end before. */
const leaseMinutes = 5;

/**
 * Leases inboxes whose mail is due, urgent ones first, then by waiting time. Returns user ids. No row
 * stays locked while mails are sent.
 */
export async function takeDue(db: Db, limit: number): Promise<string[]> {
  return db.column<string>`
    with due as materialized (
      select user_id from notification_inboxes where mail_due_at <= now()
      order by mail_due_at
      limit ${limit}
      for no key update skip locked
    )
    update notification_inboxes i set mail_due_at = now() + ${leaseMinutes} * interval '1 minute'
    from due where i.user_id = due.user_id
    returning i.user_id`;
}

export interface WaitingNotice extends Notice {
  user_id: string;
  email: string;
  language: Language;
  notice_id: string;
  /**
   * False if the user has switched it off, moderates or organizes no longer, or its petition, its update or its closing date is
   * gone.
   */
  wanted: boolean;
  /** Of the update that it is about, in Markdown. */
  update_body: string | null;
  /** Of the petition that it is about. */
  image_url: string | null;
  image_alt: string | null;
  petition_language: string | null;
}

/** Types for those who organize a petition alone, and for its signers or followers too. */
const teamTypes: NotificationType[] = [
  'signature_milestone',
  'petition_comment',
  'petition_under_review',
  'response_submitted',
];
const sharedTypes: NotificationType[] = [
  'petition_closed',
  'petition_closing',
  'response_published',
];

const isOnTeam = (db: Db) => db`(p.creator_id = u.id or exists (
  select from petition_organizers o where o.petition_id = p.id and o.user_id = u.id))`;

const takesPart = (db: Db) => db`(
  exists (select from signatures s where s.petition_id = p.id and s.user_id = u.id)
  or exists (select from petition_follows f where f.petition_id = p.id and f.user_id = u.id))`;

/** Returns the notices to send to these users by mail, in the order of events. */
export async function readWaitingNotices(db: Db, userIds: string[]): Promise<WaitingNotice[]> {
  return db<WaitingNotice[]>`
    select m.user_id, u.email, u.language, m.notice_id, n.type, n.group_id, n.about, n.detail, n.data,
      ${wantsMail(db)}
        and (u.role <> 'user' or n.type <> all(${[...moderatorNotificationTypes]}))
        and (n.petition_id is null or (p.id is not null and p.deleted_at is null))
        and (n.type <> 'petition_update' or (p.status in ('active', 'closed', 'victory')
          and exists (select from updates c where c.id = (n.data ->> 'update_id')::uuid)))
        and (n.type <> 'petition_closing' or ${isStillClosing(db)})
        and (n.type <> all(${teamTypes}) or n.for_user_id = u.id or ${isOnTeam(db)})
        and (n.type <> all(${sharedTypes}) or ${isOnTeam(db)} or ${takesPart(db)})
        as wanted,
      (select c.body from updates c
        where n.type = 'petition_update' and c.id = (n.data ->> 'update_id')::uuid) as update_body,
      p.image_url, p.image_alt, p.language as petition_language
    from notification_mails m
    join notices n on n.id = m.notice_id
    join users u on u.id = m.user_id
    left join petitions p on p.id = n.petition_id
    where m.user_id = any(${userIds}::uuid[])
    order by m.notice_id`;
}

export interface Outcome {
  userId: string;
  /** Notices that the mail had, or that are dropped. */
  noticeIds: string[];
  result: 'sent' | 'nothing to send' | 'failed';
}

/** Attempts after which a mail is dropped: after 1, 2, 4, … 512 minutes, then half a day each, two days in all. */
const maxFailures = 14;

/** Stores the outcomes of mails that were due, and schedules the next ones. */
export async function storeOutcomes(tx: Tx, outcomes: Outcome[]): Promise<void> {
  const userIds = outcomes.map(({ userId }) => userId);
  await tx`
    select from notification_inboxes where user_id = any(${userIds}::uuid[])
    order by user_id
    for no key update`;
  const failed = outcomes.filter(({ result }) => result === 'failed');
  const settled = outcomes.filter(({ result }) => result !== 'failed');
  await storeFailures(tx, failed);
  const done = settled.flatMap(({ userId, noticeIds }) =>
    noticeIds.map((noticeId) => ({ userId, noticeId })),
  );
  await tx`
    delete from notification_mails where (user_id, notice_id) in (
      select * from unnest(${done.map(({ userId }) => userId)}::uuid[],
        ${done.map(({ noticeId }) => noticeId)}::uuid[]))`;
  const sent = settled.filter(({ result }) => result === 'sent');
  await tx`
    update notification_inboxes i set mail_failures = 0, mail_due_at = ${nextMail(tx)},
      mailed_at = case when user_id = any(${sent.map(({ userId }) => userId)}::uuid[]) then now()
        else mailed_at end
    where user_id = any(${settled.map(({ userId }) => userId)}::uuid[])`;
}

/** Delays failed mails, from a minute to half a day, and drops them after `maxFailures`. */
async function storeFailures(tx: Tx, failed: Outcome[]): Promise<void> {
  if (failed.length === 0) return;
  const userIds = failed.map(({ userId }) => userId);
  await tx`
    with tried as (
      update notification_inboxes set mail_failures = (mail_failures + 1) % ${maxFailures},
        mail_due_at = case when mail_failures + 1 < ${maxFailures}
          then now() + least(2 ^ mail_failures, 720) * interval '1 minute' end
      where user_id = any(${userIds}::uuid[])
      returning user_id, mail_due_at
    )
    delete from notification_mails m using tried t
    where m.user_id = t.user_id and t.mail_due_at is null`;
}

/** Counts the inboxes whose mail is due or was not accepted. The oldest mail is that of the inbox that failed most often. */
export async function readMailQueue(db: Db): Promise<MailQueue> {
  return db.one<MailQueue>`
    select 0 as failed,
      (select count(*)::integer from notification_inboxes where mail_due_at <= now())
        + (select count(*)::integer from notification_inboxes
          where mail_failures > 0 and mail_due_at > now()) as waiting,
      least(
        (select mail_due_at from notification_inboxes
          where mail_due_at > '-infinity' and mail_due_at <= now()
          order by mail_due_at limit 1),
        (select n.created_at
          from (select user_id from notification_inboxes where mail_failures > 0
            order by mail_failures desc limit 1) longest
          join notification_mails m on m.user_id = longest.user_id
          join notices n on n.id = m.notice_id
          order by m.notice_id limit 1)) as oldest_at`;
}

import type { NotificationType } from '../../identity/accounts/schema.ts';
import type { Db, Pool, Tx } from '../../platform/db.ts';
import { transaction } from '../../platform/db.ts';
import type { NoticeData } from './schema.ts';
import { wantsInApp } from './notify-queries.ts';

export interface NotificationRow {
  id: string;
  type: NotificationType;
  group_id: string | null;
  about: string;
  detail: string | null;
  data: NoticeData;
  count: number;
  created_at: Date;
  read_at: Date | null;
}

const notifications = (db: Db) => db`
  select t.id, n.type, t.group_id, n.about, n.detail, n.data, t.count, t.created_at, t.read_at
  from notifications t join notices n on n.id = t.notice_id`;

interface ListFilter {
  userId: string;
  unreadOnly: boolean;
  beforeId: string | null;
}

/** Notifications of a user, newest first. */
export async function listNotifications(
  db: Db,
  { userId, unreadOnly, beforeId }: ListFilter,
  limit: number,
): Promise<NotificationRow[]> {
  return db<NotificationRow[]>`
    ${notifications(db)}
    where t.user_id = ${userId} ${unreadOnly ? db`and t.read_at is null` : db``}
      ${beforeId ? db`and t.id < ${beforeId}` : db``}
    order by t.id desc
    limit ${limit}`;
}

export async function findNotification(
  db: Db,
  userId: string,
  id: string,
): Promise<NotificationRow | undefined> {
  const [row] = await db<NotificationRow[]>`
    ${notifications(db)} where t.user_id = ${userId} and t.id = ${id}`;
  return row;
}

export async function countNotifications(
  db: Db,
  userId: string,
): Promise<{ total: number; unread: number }> {
  const [row] = await db<{ total: number; unread: number }[]>`
    select total, unread from notification_inboxes where user_id = ${userId}`;
  return row ?? { total: 0, unread: 0 };
}

/**
 * Marks unread notifications of the user as read, those that are named or all, and lets no mail go out
 * about them any more, nor about the same event where the mail is of a kind that is not shown to them.
 */
export async function markRead(tx: Tx, userId: string, ids: string[] | 'all'): Promise<void> {
  await tx`select from notification_inboxes where user_id = ${userId} for no key update`;
  await tx`
    with done as (
      update notifications set read_at = now()
      where user_id = ${userId} and read_at is null
        ${ids === 'all' ? tx`` : tx`and id = any(${ids}::uuid[])`}
      returning notice_id, group_id
    ), mail as (
      delete from notification_mails m using notices n, users u
      where m.user_id = ${userId} and n.id = m.notice_id and u.id = m.user_id
        and exists (
          select from notices shown
          join done on done.notice_id = shown.id or done.group_id = shown.group_id
          where shown.event_id = n.event_id and (shown.id = n.id or not ${wantsInApp(tx)}))
    )
    update notification_inboxes set unread = unread - (select count(*) from done)
    where user_id = ${userId}`;
}

export async function notificationsOf(db: Db, userId: string): Promise<readonly object[]> {
  return db`${notifications(db)} where t.user_id = ${userId} order by t.id`;
}

/** Forgets what was told to a user. The words of warnings go by a trigger with the account itself. */
export async function forgetInbox(tx: Tx, userId: string): Promise<void> {
  await tx`delete from notification_inboxes where user_id = ${userId}`;
}

/** How long notifications are kept. */
const keptDays = 90;
const forgottenAtOnce = 1000;

/** Removes notifications that are too old, and then what they told, in small transactions. */
export async function forgetOldNotifications(db: Pool): Promise<void> {
  while (await transaction(db, forgetSome));
  await db`
    delete from notices n where created_at < now() - ${keptDays + 1} * interval '1 day'
      and not exists (select from notification_fan_outs f where f.notice_id = n.id)`;
}

async function forgetSome(tx: Tx): Promise<boolean> {
  const old = tx`created_at < now() - ${keptDays} * interval '1 day'`;
  const users = await tx`
    select user_id from notification_inboxes
    where user_id in (select user_id from notifications where ${old} limit ${forgottenAtOnce})
    order by user_id
    for no key update`;
  await tx`
    with gone as (
      delete from notifications
      where user_id = any(${users.map(({ user_id }) => user_id)}::uuid[]) and ${old}
      returning user_id, read_at
    )
    update notification_inboxes i set total = i.total - gone.total, unread = i.unread - gone.unread
    from (
      select user_id, count(*) as total, count(*) filter (where read_at is null) as unread
      from gone group by user_id
    ) gone
    where i.user_id = gone.user_id`;
  return users.length > 0;
}

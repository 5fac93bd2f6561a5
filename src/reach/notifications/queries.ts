import { transaction, type Db, type Pool, type Tx } from '../../platform/db.ts';
import { retentionInterval } from '../../platform/retention.ts';
import type { Notice } from './schema.ts';
import { wantsInApp } from './notify-queries.ts';

export interface NotificationRow extends Notice {
  id: string;
  count: number;
  created_at: Date;
  read_at: Date | null;
}

/** A notification with the language of its petition, if its creator named one. */
export interface ListedNotification extends NotificationRow {
  petition_language: string | null;
}

const notifications = (db: Db, more = db``) => db`
  select t.id, n.type, t.group_id, n.about, n.detail, n.data, t.count, t.created_at, t.read_at ${more}
  from notifications t join notices n on n.id = t.notice_id`;

interface ListFilter {
  userId: string;
  unreadOnly: boolean;
  beforeId: string | null;
}

/** Returns a user's notifications, newest first. */
export async function listNotifications(
  db: Db,
  { userId, unreadOnly, beforeId }: ListFilter,
  limit: number,
): Promise<ListedNotification[]> {
  const language = db`(select p.language from petitions p where p.id = n.petition_id)`;
  return db<ListedNotification[]>`
    ${notifications(db, db`, ${language} as petition_language`)}
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
  return db.first<NotificationRow>`
    ${notifications(db)} where t.user_id = ${userId} and t.id = ${id}`;
}

export async function countNotifications(
  db: Db,
  userId: string,
): Promise<{ total: number; unread: number }> {
  const row = await db.first<{ total: number; unread: number }>`
    select total, unread from notification_inboxes where user_id = ${userId}`;
  return row ?? { total: 0, unread: 0 };
}

/**
 * Marks the user's unread notifications as read, and cancels their mails. Also cancels a mail about the
 * same event whose type the user does not see in the service.
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

export async function exportNotifications(db: Db, userId: string): Promise<readonly object[]> {
  return db`${notifications(db)} where t.user_id = ${userId} order by t.id`;
}

/** Deletes a user's notifications. A trigger on accounts deletes the texts of warnings. */
export async function deleteInbox(tx: Tx, userId: string): Promise<void> {
  await tx`delete from notification_inboxes where user_id = ${userId}`;
}

const deleteBatchSize = 1000;

/** Deletes old notifications in small transactions, then old notices. */
export async function deleteOldNotifications(db: Pool): Promise<void> {
  while (await transaction(db, deleteOldBatch));
  await db`
    delete from notices n where created_at < now() - ${retentionInterval('notifications')}::interval - interval '1 day'
      and not exists (select from notification_fan_outs f where f.notice_id = n.id)`;
}

async function deleteOldBatch(tx: Tx): Promise<boolean> {
  const old = tx`created_at < now() - ${retentionInterval('notifications')}::interval`;
  const users = await tx`
    select user_id from notification_inboxes
    where user_id in (select user_id from notifications where ${old} limit ${deleteBatchSize})
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

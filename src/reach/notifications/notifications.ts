import {
  allNotificationPrefs,
  changeNotificationPrefs,
  ownAccount,
} from '../../identity/accounts/accounts.ts';
import type { NotificationPrefs, NotificationPrefsInput } from '../../identity/accounts/schema.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { retryOnDeadlock, transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { WrittenText } from '../../platform/pages/text-language.ts';
import { notFound, unauthorized, validationFailed } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { ListedNotification, NotificationRow } from './queries.ts';
import type { MarkReadInput, Notification, NotificationListQuery } from './schema.ts';
import { textOf } from './texts.ts';

export { noticesMail } from './mails.ts';
export { subjectOf, textOf as textOfNotice } from './texts.ts';

const presentIn =
  (language: Language) =>
  (row: NotificationRow): Notification => ({
    id: row.id,
    type: row.type,
    ...textOf(row, language),
    read: row.read_at !== null,
    data: { ...row.data, ...(row.group_id && { count: row.count }) },
    created_at: row.created_at,
  });

/** A notification on the page of the service. */
export interface ShownNotification extends Notification {
  /** What its title names. */
  about: WrittenText;
}

interface NotificationPage<Item> extends Page<Item> {
  beside: { counts: { total: number; unread: number } };
}

/** Returns the caller's notifications, newest first, with counts. */
export async function listNotifications(
  ctx: Context,
  caller: Caller,
  query: NotificationListQuery,
): Promise<NotificationPage<Notification>> {
  return readPage(ctx, caller, query, presentIn('en'));
}

/** As `listNotifications`, in the language of a page. */
export async function listNotificationsForPage(
  ctx: Context,
  caller: Caller,
  query: NotificationListQuery,
  language: Language,
): Promise<NotificationPage<ShownNotification>> {
  const present = presentIn(language);
  return readPage(ctx, caller, query, (row) => ({
    ...present(row),
    about: { text: row.about, language: row.petition_language },
  }));
}

async function readPage<Item>(
  ctx: Context,
  { userId }: Caller,
  { unread_only: unreadOnly = false, ...query }: NotificationListQuery,
  present: (row: ListedNotification) => Item,
): Promise<NotificationPage<Item>> {
  const [page, counts] = await Promise.all([
    pageById(
      'notifications',
      query,
      (beforeId, count) =>
        queries.listNotifications(ctx.db, { userId, unreadOnly, beforeId }, count),
      present,
    ),
    queries.countNotifications(ctx.db, userId),
  ]);
  return { ...page, beside: { counts } };
}

export async function getNotification(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<Notification> {
  const row = await queries.findNotification(ctx.db, caller.userId, id);
  if (!row) throw notFound('notification');
  return presentIn('en')(row);
}

export async function countUnread(ctx: Context, caller: Caller): Promise<{ unread_count: number }> {
  const { unread } = await queries.countNotifications(ctx.db, caller.userId);
  return { unread_count: unread };
}

/** Marks the caller's notifications as read. Ignores unknown ids and those of other users. */
export async function markRead(
  ctx: Context,
  caller: Caller,
  { notification_ids, mark_all }: MarkReadInput,
): Promise<{ unread_count: number }> {
  const ids = mark_all ? 'all' : notification_ids;
  if (!ids) {
    throw validationFailed({
      field: 'notification_ids',
      message: 'Name notifications, or send mark_all: true.',
      code: 'required',
    });
  }
  // Deadlocks with inserts of notifications, which also lock the inbox by a foreign key.
  await retryOnDeadlock(() =>
    transaction(ctx.db, (tx) => queries.markRead(tx, caller.userId, ids)),
  );
  return countUnread(ctx, caller);
}

export async function getPreferences(ctx: Context, caller: Caller): Promise<NotificationPrefs> {
  return allNotificationPrefs((await ownAccount(ctx, caller)).notification_prefs);
}

export async function changePreferences(
  ctx: Context,
  caller: Caller,
  changes: NotificationPrefsInput,
): Promise<NotificationPrefs> {
  const prefs = await changeNotificationPrefs(ctx.db, caller.userId, changes);
  if (!prefs) throw unauthorized('This account no longer exists.');
  return prefs;
}

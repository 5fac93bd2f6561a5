import type { Db } from '../../platform/db.ts';

/** Number of unread notifications of a user. */
export async function unreadOf(db: Db, userId: string): Promise<number> {
  const [row] = await db<{ unread: number }[]>`
    select unread from notification_inboxes where user_id = ${userId}`;
  return row?.unread ?? 0;
}

import type { Db } from '../../platform/db.ts';
import * as queries from './queries.ts';
import { notificationTypes } from './schema.ts';
import type {
  NotificationChannel,
  NotificationPrefs,
  NotificationPrefsInput,
  NotificationType,
} from './schema.ts';

/** Notifications that are off by default; all others are on. */
export const offByDefault: Record<NotificationChannel, readonly NotificationType[]> = {
  in_app: [],
  // Busy petitions get hundreds of comments. News go to signers who asked for those of a petition.
  email: ['petition_comment', 'petition_update', 'petition_changed'],
};

export const defaultQueueMail: NotificationPrefs['queue_mail'] = 'hourly';

/** Returns all preferences: the stored ones and defaults. */
export function allNotificationPrefs(stored: NotificationPrefsInput): NotificationPrefs {
  const channel = (name: NotificationChannel) =>
    Object.fromEntries(
      notificationTypes.map((type) => [
        type,
        stored[name]?.[type] ?? !offByDefault[name].includes(type),
      ]),
    ) as Record<NotificationType, boolean>;
  return {
    in_app: channel('in_app'),
    email: channel('email'),
    queue_mail: stored.queue_mail ?? defaultQueueMail,
  };
}

/** Returns the known preferences of an input. Others are ignored and not stored. */
export function knownPrefs(input: NotificationPrefsInput): NotificationPrefsInput {
  const channel = (switches: NotificationPrefsInput[NotificationChannel] = {}) =>
    Object.fromEntries(
      notificationTypes.flatMap((type) => (type in switches ? [[type, switches[type]]] : [])),
    );
  const { queue_mail } = input;
  return {
    in_app: channel(input.in_app),
    email: channel(input.email),
    ...(queue_mail && { queue_mail }),
  };
}

/** Changes the given preferences. Returns all of them, or undefined if the user does not exist. */
export async function changeNotificationPrefs(
  db: Db,
  userId: string,
  changes: NotificationPrefsInput,
): Promise<NotificationPrefs | undefined> {
  const user = await queries.updateUser(db, userId, { notification_prefs: knownPrefs(changes) });
  return user && allNotificationPrefs(user.notification_prefs);
}

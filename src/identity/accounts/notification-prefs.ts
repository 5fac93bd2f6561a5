import type { Db } from '../../platform/db.ts';
import * as queries from './queries.ts';
import { notificationTypes } from './schema.ts';
import type {
  NotificationChannel,
  NotificationPrefs,
  NotificationPrefsInput,
  NotificationType,
} from './schema.ts';

/** What is off until somebody switches it on; everything else is on. */
export const offByDefault: Record<NotificationChannel, readonly NotificationType[]> = {
  in_app: [],
  // On a busy petition there are hundreds.
  email: ['petition_comment'],
};

/** Every switch as it stands, from those that are stored. */
export function allNotificationPrefs(stored: NotificationPrefsInput): NotificationPrefs {
  const channel = (name: NotificationChannel) =>
    Object.fromEntries(
      notificationTypes.map((type) => [
        type,
        stored[name]?.[type] ?? !offByDefault[name].includes(type),
      ]),
    ) as Record<NotificationType, boolean>;
  return { in_app: channel('in_app'), email: channel('email') };
}

/** Of what a body names, the switches that there are: others are ignored, and not stored. */
export function knownSwitches(named: NotificationPrefsInput): NotificationPrefsInput {
  const channel = (switches: NotificationPrefsInput[NotificationChannel] = {}) =>
    Object.fromEntries(
      notificationTypes.flatMap((type) => (type in switches ? [[type, switches[type]]] : [])),
    );
  return { in_app: channel(named.in_app), email: channel(named.email) };
}

/** Sets the switches that are named. Gives all of them, or undefined where there is no such user. */
export async function changeNotificationPrefs(
  db: Db,
  userId: string,
  changes: NotificationPrefsInput,
): Promise<NotificationPrefs | undefined> {
  const user = await queries.updateUser(db, userId, { notification_prefs: knownSwitches(changes) });
  return user && allNotificationPrefs(user.notification_prefs);
}

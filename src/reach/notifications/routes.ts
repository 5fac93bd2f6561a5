import { Type } from 'typebox';
import { NotificationPrefs, NotificationPrefsInput } from '../../identity/accounts/schema.ts';
import { many, one, raw, type Route, routes } from '../../platform/http/route.ts';
import * as notifications from './notifications.ts';
import {
  MarkReadInput,
  Notification,
  NotificationCounts,
  NotificationListQuery,
  NotificationRef,
  UnreadCount,
} from './schema.ts';
import { askToUnsubscribe, unsubscribe } from './unsubscribing.ts';

const api = routes('Notifications');
const UnsubscribeRef = Type.Object({ token: Type.String({ description: 'As the mail has it.' }) });

export const notificationRoutes: Route[] = [
  api.get('/v1/notifications', {
    id: 'listNotifications',
    summary: 'Your notifications, newest first',
    description:
      'Kept for 90 days. Unread ones about the same thing, such as comments on one petition, are one that says how many; another such comment gives it a new id and moves it to the top.',
    auth: { access: 'user', scope: 'read:profile' },
    query: NotificationListQuery,
    returns: many(Notification, {}, { counts: NotificationCounts }),
    handle: ({ ctx, caller, query }) => notifications.listNotifications(ctx, caller, query),
  }),
  api.get('/v1/notifications/unread-count', {
    id: 'countUnreadNotifications',
    summary: 'How many notifications you have not read',
    description: 'For a number beside a bell: cheaper than the list.',
    auth: { access: 'user', scope: 'read:profile' },
    returns: one(UnreadCount),
    handle: ({ ctx, caller }) => notifications.countUnread(ctx, caller),
  }),
  api.post('/v1/notifications/mark-read', {
    id: 'markNotificationsRead',
    summary: 'Mark notifications as read, some or all',
    description: 'Ids that are not of yours are passed over.',
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: MarkReadInput, example: { mark_all: true } },
    returns: one(UnreadCount),
    handle: ({ ctx, caller, body }) => notifications.markRead(ctx, caller, body),
  }),
  api.get('/v1/notifications/preferences', {
    id: 'getNotificationPreferences',
    summary: 'What you are notified of, in the service and by mail',
    description: 'Mails go to verified addresses only.',
    auth: { access: 'user', scope: 'read:profile' },
    returns: one(NotificationPrefs),
    handle: ({ ctx, caller }) => notifications.getPreferences(ctx, caller),
  }),
  api.patch('/v1/notifications/preferences', {
    id: 'changeNotificationPreferences',
    summary: 'Change what you are notified of',
    description: 'What is left out stays as it is; unknown switches are ignored.',
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: NotificationPrefsInput, example: { email: { petition_update: false } } },
    returns: one(NotificationPrefs),
    handle: ({ ctx, caller, body }) => notifications.changePreferences(ctx, caller, body),
  }),
  api.get('/v1/notifications/{id}', {
    id: 'getNotification',
    summary: 'One of your notifications',
    description:
      'Reading it this way does not mark it as read: `POST /v1/notifications/read` does.',
    auth: { access: 'owner', scope: 'read:profile' },
    params: NotificationRef,
    returns: one(Notification),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => notifications.getNotification(ctx, caller, params.id),
  }),
  api.get('/unsubscribe/{token}', {
    closedToCrawlers: true,
    id: 'askToUnsubscribe',
    summary: 'The page that a link in a mail opens',
    description: 'It changes nothing: its button does.',
    auth: { access: 'anyone', ignoresCredentials: true },
    params: UnsubscribeRef,
    worksWithoutDatabase: true,
    returns: raw('text/html'),
    problems: ['not-found'],
    handle: (call) => askToUnsubscribe(call, call.params.token),
  }),
  api.post('/unsubscribe/{token}', {
    id: 'unsubscribe',
    summary: 'Stop mails of the kinds that the link is for',
    description:
      'One-click unsubscribing by RFC 8058. The link says it all: a body is not looked at.',
    auth: { access: 'anyone', ignoresCredentials: true },
    params: UnsubscribeRef,
    body: { types: ['*/*'], isOptional: true },
    returns: raw('text/html'),
    problems: ['not-found'],
    handle: (call) => unsubscribe(call, call.params.token),
  }),
];

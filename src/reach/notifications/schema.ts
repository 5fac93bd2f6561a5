import { Type, type Static } from 'typebox';
import { notificationTypes, type NotificationType } from '../../identity/accounts/schema.ts';
import { idOf, named, oneOf, pageQuery, Timestamp, Uuid } from '../../platform/http/schema.ts';

export const Notification = named(
  'Notification',
  Type.Object({
    id: Uuid,
    type: oneOf(notificationTypes),
    title: Type.String(),
    body: Type.String(),
    read: Type.Boolean(),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'What it is about: petition_id, slug, update_id, comment_id, parent_id, response_id, org_id, warning_id, endpoint_id, alert_id, kind, decision_id, act, outcome, status, signature_count, closes_at, as fit. count: how many are folded into it.',
      },
    ),
    created_at: Timestamp,
  }),
);
export type Notification = Static<typeof Notification>;

export const NotificationCounts = Type.Object({
  total: Type.Integer({ minimum: 0 }),
  unread: Type.Integer({ minimum: 0 }),
});

export const NotificationListQuery = Type.Object({
  unread_only: Type.Optional(
    Type.Boolean({ default: false, description: 'Leaves out those that were read.' }),
  ),
  ...pageQuery,
});
export type NotificationListQuery = Static<typeof NotificationListQuery>;

export const NotificationRef = Type.Object({ id: idOf('the notification') });

export const MarkReadInput = Type.Object({
  notification_ids: Type.Optional(Type.Array(Uuid, { maxItems: 1000 })),
  mark_all: Type.Optional(Type.Boolean()),
});
export type MarkReadInput = Static<typeof MarkReadInput>;

export const UnreadCount = Type.Object({ unread_count: Type.Integer({ minimum: 0 }) });

export type NoticeData = Record<string, string | number | null>;

/** The content of notifications: see migrations/0009_notifications.sql. */
export interface Notice {
  type: NotificationType;
  about: string;
  detail: string | null;
  data: NoticeData;
  /** Unread notifications of one group are merged into one. */
  group_id: string | null;
}

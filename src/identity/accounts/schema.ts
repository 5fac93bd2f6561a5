import { Type, type Static } from 'typebox';
import {
  named,
  nullable,
  oneOf,
  Timestamp,
  TypedEmail,
  Uuid,
  WebUrl,
  VisibleText,
} from '../../platform/http/schema.ts';
import { languages } from '../../platform/pages/language.ts';

export const User = named(
  'User',
  Type.Object({
    id: Uuid,
    email: Type.String({ description: 'As it was typed: the domain may be in Unicode.' }),
    display_name: Type.String(),
    slug: Type.String(),
    bio: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    language: Type.String({ description: 'Of mails: a BCP 47 tag, such as `en`.' }),
    show_signatures: Type.Boolean({ description: 'Whether your profile lists what you signed.' }),
    sign_in_alerts: Type.Boolean({
      description: 'Whether you get a mail about a login with a new device from a new country.',
    }),
    email_verified: Type.Boolean(),
    phone_verified: Type.Boolean(),
    created_at: Timestamp,
  }),
);
export type User = Static<typeof User>;

export const PublicProfile = named(
  'PublicProfile',
  Type.Object({
    id: Uuid,
    display_name: Type.String(),
    slug: Type.String(),
    bio: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    petition_count: Type.Integer({ description: 'Petitions that everybody can see in lists.' }),
  }),
);
export type PublicProfile = Static<typeof PublicProfile>;

export const Password = Type.String({ minLength: 8, maxLength: 200 });
export const DisplayName = VisibleText({ minLength: 1, maxLength: 100 });

export const RegisterInput = Type.Object({
  email: TypedEmail,
  password: Password,
  display_name: DisplayName,
});
export type RegisterInput = Static<typeof RegisterInput>;

/** The token of a link in a mail. */
export const MailedToken = Type.String({ minLength: 1, maxLength: 200 });

export const VerifyEmailInput = Type.Object({ token: MailedToken });

export const EraseInput = Type.Object({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  challenge: Type.Optional(Uuid),
  code: Type.Optional(
    Type.String({ pattern: '^[0-9]{6}$', description: 'Mailed by `POST /v1/auth/magic-link`.' }),
  ),
});
export type EraseInput = Static<typeof EraseInput>;

export const notificationTypes = [
  'signature_milestone',
  'petition_update',
  'petition_victory',
  'petition_closed',
  'petition_closing',
  'comment_reply',
  'petition_comment',
  'response_submitted',
  'response_published',
  'org_member_added',
  'moderation_warning',
  'petition_under_review',
  'petition_changed',
  'moderation_decision',
  'report_decided',
  'webhook_disabled',
  'integrity_alert',
  'moderation_queue',
] as const;
export type NotificationType = (typeof notificationTypes)[number];
/** Notifications that only moderators and administrators get. */
export const moderatorNotificationTypes: readonly NotificationType[] = [
  'integrity_alert',
  'moderation_queue',
];
export type NotificationChannel = 'in_app' | 'email';

const switches = Object.fromEntries(notificationTypes.map((type) => [type, Type.Boolean()]));
const AllSwitches = Type.Unsafe<Record<NotificationType, boolean>>(Type.Object(switches));
const SomeSwitches = Type.Unsafe<Partial<Record<NotificationType, boolean>>>(
  Type.Partial(Type.Object(switches)),
);

/** How often mails about what waits for moderators are sent. */
export const queueMailFrequencies = ['at_once', 'hourly', 'daily'] as const;
const QueueMail = oneOf(queueMailFrequencies, {
  description:
    'For moderators and administrators: how long what waits in their queue is gathered before it is mailed. `email.moderation_queue` switches these mails off.',
});

export const NotificationPrefs = named(
  'NotificationPreferences',
  Type.Object({ in_app: AllSwitches, email: AllSwitches, queue_mail: QueueMail }),
);
export type NotificationPrefs = Static<typeof NotificationPrefs>;

/** Preferences to set; the others stay as they are, and unknown switches are ignored. */
export const NotificationPrefsInput = Type.Object({
  in_app: Type.Optional(SomeSwitches),
  email: Type.Optional(SomeSwitches),
  queue_mail: Type.Optional(QueueMail),
});
export type NotificationPrefsInput = Static<typeof NotificationPrefsInput>;

export const UserUpdateInput = Type.Object({
  display_name: Type.Optional(DisplayName),
  bio: Type.Optional(nullable(VisibleText({ lines: 'many', maxLength: 500 }))),
  avatar_url: Type.Optional(nullable(WebUrl)),
  language: Type.Optional(oneOf(languages, { description: 'Of mails.' })),
  show_signatures: Type.Optional(
    Type.Boolean({
      description:
        'Whether your profile lists what you signed. True needs a verified address: 403 `email_not_verified`.',
    }),
  ),
  sign_in_alerts: Type.Optional(
    Type.Boolean({
      description: 'Whether you get a mail about a login with a new device from a new country.',
    }),
  ),
  notification_prefs: Type.Optional(NotificationPrefsInput),
});
export type UserUpdateInput = Static<typeof UserUpdateInput>;

export const PhoneInput = Type.Object({
  phone: Type.String({
    pattern: '^\\+[1-9][0-9]{6,14}$',
    description: 'E.164, such as +441632960961',
  }),
});

export const PhoneCodeInput = Type.Object({ code: Type.String({ pattern: '^[0-9]{6}$' }) });

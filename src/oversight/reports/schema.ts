import { Type, type Static } from 'typebox';
import {
  named,
  nullable,
  oneOf,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

export const targetTypes = ['petition', 'comment', 'user'] as const;
export type TargetType = (typeof targetTypes)[number];
export const reasons = ['spam', 'harassment', 'hate_speech', 'misinformation', 'other'] as const;
export const reportStatuses = ['open', 'actioned', 'dismissed'] as const;
export const reportActions = [
  'dismiss',
  'hide_content',
  'suspend_user',
  'warn_user',
  'remove_petition',
] as const;
export type ReportAction = (typeof reportActions)[number];

export const ReportInput = Type.Object({
  target_type: oneOf(targetTypes),
  target_id: Uuid,
  reason: oneOf(reasons),
  description: Type.Optional(VisibleText({ maxLength: 1000 })),
  access_code: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Of a private petition, where that or a comment on it is reported.',
    }),
  ),
});
export type ReportInput = Static<typeof ReportInput>;

const record = {
  id: Uuid,
  target_type: oneOf(targetTypes),
  target_id: Uuid,
  reason: oneOf(reasons),
  description: nullable(Type.String()),
  status: oneOf(reportStatuses),
  reporter_id: nullable(
    Type.String({
      format: 'uuid',
      description: 'Null once the account of the reporter was erased.',
    }),
  ),
  created_at: Timestamp,
  resolved_at: nullable(Timestamp),
};

export const Report = named('Report', Type.Object(record));
export type Report = Static<typeof Report>;

export const textLength = 2000;

const ReportTarget = named(
  'ReportTarget',
  Type.Object({
    title: nullable(
      Type.String({ description: "The petition's, also of a comment on it; a user's name." }),
    ),
    text: nullable(
      Type.String({
        description: `What it says: the first ${textLength} characters of a petition, a comment, a user's bio.`,
      }),
    ),
    state: Type.String({
      description:
        "A petition's status, shown or hidden for a comment, active or suspended for a user; deleted.",
    }),
    petition_id: nullable(Uuid),
    author: nullable(
      Type.Object(
        {
          id: Uuid,
          display_name: Type.String(),
          slug: Type.String(),
          suspended: Type.Boolean(),
        },
        { description: 'Whose it is: whom suspend_user and warn_user would concern.' },
      ),
    ),
    url: Type.String({ format: 'uri', description: 'Where the API shows it whole.' }),
  }),
);
export type ReportTarget = Static<typeof ReportTarget>;

export const AdminReport = named(
  'AdminReport',
  Type.Object({
    ...record,
    target: nullable(ReportTarget),
    open_reports: Type.Integer({ description: 'Reports of the same target that are open.' }),
    action: nullable(
      oneOf(reportActions, {
        description: 'What was decided; null where the target was judged in another way.',
      }),
    ),
    resolved_by: nullable(Uuid),
  }),
);
export type AdminReport = Static<typeof AdminReport>;

export const ReportQueueQuery = Type.Object({
  status: Type.Optional(oneOf(reportStatuses, { default: 'open' })),
  target_type: Type.Optional(oneOf(targetTypes)),
  ...pageQuery,
});
export type ReportQueueQuery = Static<typeof ReportQueueQuery>;

export const ReportActionInput = Type.Object({
  action: oneOf(reportActions),
  note: Type.Optional(
    VisibleText({
      minLength: 1,
      maxLength: 2000,
      description: 'Kept with the audit line; with warn_user, the text that the person gets.',
    }),
  ),
});
export type ReportActionInput = Static<typeof ReportActionInput>;

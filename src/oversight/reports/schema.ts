import { Type, type Static } from 'typebox';
import {
  Email,
  named,
  nullable,
  oneOf,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';

declare module '../../platform/events.ts' {
  /** The data has kind. The actor is the service: reporters must stay unknown. */
  interface EventTypes extends Record<'moderation.queued', true> {}
}

export const targetTypes = ['petition', 'comment', 'user', 'signature'] as const;
export type TargetType = (typeof targetTypes)[number];
export const reasons = [
  'spam',
  'harassment',
  'hate_speech',
  'misinformation',
  'child_abuse',
  'other',
] as const;
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
  target_type: oneOf(targetTypes, {
    description: 'signature: the reason that was given with it.',
  }),
  target_id: Uuid,
  reason: oneOf(reasons),
  description: Type.Optional(VisibleText({ lines: 'many', maxLength: 1000 })),
  access_code: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Of a private petition, where that, a comment or a signature on it is reported.',
    }),
  ),
});
export type ReportInput = Static<typeof ReportInput>;

/** The form of the page, where people without an account type their address. */
export const ReportForm = Type.Object({
  ...ReportInput.properties,
  email: Type.Optional(Email),
});

export const maxCodeAttempts = 5;

/** The token of a link, or the id of a pending report with its code. */
export const ReportConfirmation = Type.Object({
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  id: Type.Optional(Uuid),
  code: Type.Optional(Type.String({ pattern: '^[0-9]{6}$' })),
});
export type ReportConfirmation = Static<typeof ReportConfirmation>;

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
      description: 'Null for a reporter without an account, or once it was erased.',
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
      Type.String({
        description: "The petition's, also of a comment or a signature on it; a user's name.",
      }),
    ),
    language: nullable(Type.String({ description: "The petition's, as its creator named it." })),
    text: nullable(
      Type.String({
        description: `What it says: the first ${textLength} characters of a petition, a comment, a user's bio, a signature's reason.`,
      }),
    ),
    state: Type.String({
      description:
        "A petition's status, shown or hidden for a comment or a signature's reason, active or suspended for a user; deleted.",
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

const ReportSnapshot = named(
  'ReportSnapshot',
  Type.Object(
    { title: nullable(Type.String()), text: nullable(Type.String()) },
    {
      description: `What the target said when it was reported, at most ${textLength} characters; null for old reports, once the author was erased, and 6 months after the decision.`,
    },
  ),
);
/** What a target said when it was reported. */
export type ReportSnapshot = Static<typeof ReportSnapshot>;

const EarlierDecision = named(
  'EarlierDecision',
  Type.Object({
    action: Type.String({ description: 'As in the audit log, such as report.dismiss.' }),
    created_at: Timestamp,
  }),
);

/** Decisions on a target that the queue shows. */
export const maxHistory = 10;

const AuthorHistory = named(
  'AuthorHistory',
  Type.Object({
    warnings: Type.Integer(),
    decided_reports: Type.Integer({
      description: 'Contents of the author on which reports were decided, dismissals included.',
    }),
    suspensions: Type.Integer(),
  }),
);

export const AdminReport = named(
  'AdminReport',
  Type.Object({
    ...record,
    target: nullable(ReportTarget),
    open_reports: Type.Integer({ description: 'Reports of the same target that are open.' }),
    weight: Type.Integer({ description: 'Open reports of the same target that weigh.' }),
    snapshot: nullable(ReportSnapshot),
    target_history: Type.Array(EarlierDecision, {
      description: `Earlier decisions on the target, newest first, at most ${maxHistory}.`,
    }),
    author_history: nullable(AuthorHistory),
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
  status: Type.Optional(
    oneOf(reportStatuses, { default: 'open', description: 'Reports in that state only.' }),
  ),
  target_type: Type.Optional(oneOf(targetTypes, { description: 'Reports of such targets only.' })),
  ...pageQuery,
});
export type ReportQueueQuery = Static<typeof ReportQueueQuery>;

export const ReportActionInput = Type.Object({
  action: oneOf(reportActions),
  note: Type.Optional(
    VisibleText({
      lines: 'many',
      minLength: 1,
      maxLength: 2000,
      description: 'Kept with the audit line; with warn_user, the text that the person gets.',
    }),
  ),
  reason: Type.Optional(
    VisibleText({
      lines: 'many',
      minLength: 1,
      maxLength: 2000,
      description: 'Why, as the author is told with the decision.',
    }),
  ),
});
export type ReportActionInput = Static<typeof ReportActionInput>;

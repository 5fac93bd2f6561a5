import { Type, type Static } from 'typebox';
import { petitionStatuses } from '../../campaigns/petitions/schema.ts';
import { named, nullable, Timestamp } from '../../platform/http/schema.ts';

const Count = Type.Integer({ minimum: 0 });

const Queue = Type.Object({
  count: Count,
  oldest_at: nullable(Timestamp),
});

export const AdminMetrics = named(
  'AdminMetrics',
  Type.Object({
    users: Count,
    petitions: Type.Object(
      Object.fromEntries(petitionStatuses.map((status) => [status, Count])) as Record<
        (typeof petitionStatuses)[number],
        typeof Count
      >,
    ),
    signatures: Type.Object({
      total: Count,
      today: Type.Integer({ description: 'Given since midnight UTC, withdrawn ones included.' }),
      last_7_days: Type.Integer({ description: 'The same of today and the six days before.' }),
    }),
    comments: Count,
    open_reports: Queue,
    under_review: Queue,
    jobs: Type.Object({
      waiting: Count,
      failed: Type.Integer({ description: 'Given up after too many tries.' }),
    }),
    mails: Type.Object({
      waiting: Type.Integer({ description: 'Due, or not accepted by the mail server so far.' }),
      failed: Type.Integer({ description: 'Given up after two days.' }),
      oldest_at: nullable(Timestamp),
    }),
    followers: Type.Array(
      Type.Object({
        name: Type.String(),
        lag_seconds: Type.Number({ description: 'Age of the oldest event that it has not seen.' }),
      }),
      { description: 'Who reacts to events: webhooks, notifications and the like.' },
    ),
    estimated: Type.Array(Type.String(), {
      description:
        'Figures of 10,000 and more that are the estimates of the database, such as signatures.total. All others are exact.',
    }),
  }),
);
export type AdminMetrics = Static<typeof AdminMetrics>;

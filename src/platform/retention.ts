/** How long something is kept. */
interface RetentionRule {
  amount: number;
  unit: 'hour' | 'day' | 'month';
  /** The scheduled job that deletes it; null where it is deleted in passing, or where a cookie ends. */
  job: string | null;
}

/**
 * How long the service keeps what it deletes by itself. Jobs and cookies take their durations from here, and the page on
 * privacy lists each (`keeps_…` in locales/<language>/own-pages.json).
 */
export const retentionRules = {
  /** Signing mails of signatures, and again after the reminder. */
  pending_signatures: { amount: 24, unit: 'hour', job: 'drop-pending-signatures' },
  /** Signatures whose reminder could not be sent. */
  missed_reminders: { amount: 6, unit: 'hour', job: 'drop-pending-signatures' },
  /** Networks, devices and mailboxes of signatures, after the petition was closed or deleted. */
  signature_origins: { amount: 90, unit: 'day', job: 'forget-origins' },
  /** Who withdrew a signature. */
  signature_withdrawals: { amount: 90, unit: 'day', job: 'forget-withdrawals' },
  /** Signatures by minute, by which attacks are recognized. */
  signature_minutes: { amount: 2, unit: 'day', job: null },
  integrity_alerts: { amount: 90, unit: 'day', job: 'forget-alerts' },
  place_hours: { amount: 7, unit: 'day', job: 'forget-old-sums' },
  anonymous_drafts: { amount: 7, unit: 'day', job: 'delete-anonymous-drafts' },
  /** Addresses of people who do not answer an invitation to organize a petition. */
  organizer_invitations: { amount: 30, unit: 'day', job: 'delete-expired-invitations' },
  kept_forms: { amount: 1, unit: 'hour', job: 'forget-kept-forms' },
  uploads: { amount: 24, unit: 'hour', job: 'sweep-uploads' },
  /** Sessions that nobody uses. */
  unused_sessions: { amount: 30, unit: 'day', job: 'forget-expired-credentials' },
  /** Devices and countries of ended sessions, since the last use. */
  ended_sessions: { amount: 90, unit: 'day', job: 'forget-expired-credentials' },
  /** Hashes of expired refresh tokens. */
  expired_tokens: { amount: 7, unit: 'day', job: 'forget-expired-credentials' },
  /** Links in mails, by the longest of them. */
  mailed_links: { amount: 7, unit: 'day', job: 'forget-expired-credentials' },
  /** Codes and links that sign in, after they expired. */
  mail_challenges: { amount: 1, unit: 'hour', job: 'forget-mail-challenges' },
  /** Former addresses of accounts: a day longer than the change can be undone. */
  address_changes: { amount: 8, unit: 'day', job: 'forget-address-changes' },
  /** What an account did before its address was proven by somebody else, while that one does not decide. */
  quarantined_accounts: { amount: 30, unit: 'day', job: 'delete-quarantined-accounts' },
  /** Hashes of API keys that were replaced, after they expired. */
  replaced_api_keys: { amount: 30, unit: 'day', job: 'forget-replaced-api-keys' },
  /** Authorizations of applications that were not finished. */
  oauth_authorizations: { amount: 1, unit: 'day', job: 'forget-expired-authorizations' },
  /** Hashes of used refresh tokens of applications. */
  oauth_tokens: { amount: 30, unit: 'day', job: 'forget-expired-authorizations' },
  /** Solved CAPTCHA challenges, after they expired. */
  used_challenges: { amount: 1, unit: 'hour', job: 'forget-used-challenges' },
  notifications: { amount: 90, unit: 'day', job: 'forget-old-notifications' },
  /** Events, and what webhooks deliver of them. */
  events: { amount: 30, unit: 'day', job: 'clean-webhooks' },
  /** Answers to requests of programs that are sent again (Idempotency-Key). */
  request_answers: { amount: 24, unit: 'hour', job: 'forget-old-answers' },
  pending_reports: { amount: 24, unit: 'hour', job: 'drop-pending-reports' },
  /** What a reported text said, after the decision. */
  report_snapshots: { amount: 6, unit: 'month', job: 'forget-report-snapshots' },
  /** Addresses of reporters, after the decision. */
  report_contacts: { amount: 6, unit: 'month', job: 'forget-report-contacts' },
} as const satisfies Record<string, RetentionRule>;

export type RetentionId = keyof typeof retentionRules;

/** Rules in units of one length. */
type FixedId = {
  [Id in RetentionId]: (typeof retentionRules)[Id]['unit'] extends 'month' ? never : Id;
}[RetentionId];

const unitMs = { hour: 3_600_000, day: 86_400_000 };

export function retentionMs(id: FixedId): number {
  const { amount, unit } = retentionRules[id];
  return amount * unitMs[unit];
}

export const retentionSeconds = (id: FixedId): number => retentionMs(id) / 1000;

/** The duration as an interval of PostgreSQL, to be cast: `30 days`. */
export function retentionInterval(id: RetentionId): string {
  const { amount, unit } = retentionRules[id];
  return `${amount} ${unit}s`;
}

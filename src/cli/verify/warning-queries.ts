import type { Db } from '../../platform/db.ts';

/** Counts jobs without attempts left, by name. */
export async function failedJobs(db: Db): Promise<{ job: string; count: number }[]> {
  return db<{ job: string; count: number }[]>`
    select task_identifier as job, count(*)::integer as count from graphile_worker.jobs
    where attempts >= max_attempts
    group by 1
    order by 1`;
}

/** Queries for work that is overdue, by kind. */
export const overdue = {
  jobs: (db: Db) => db`
    select from graphile_worker.jobs
    where attempts < max_attempts and run_at < now() - interval '10 minutes'
      and (locked_at is null or locked_at < now() - interval '10 minutes')`,
  // Uses the index of pending deliveries.
  'webhook-deliveries': (db: Db) => db`
    select from webhook_deliveries
    where next_attempt_at < now() - interval '10 minutes'
      and (leased_until is null or leased_until < now() - interval '10 minutes')`,
  // Urgent ones have the due time -infinity, which does not show their age.
  'notification-mails': (db: Db) => db`
    select from notification_inboxes
    where mail_due_at > '-infinity' and mail_due_at < now() - interval '1 hour'`,
  'notification-fan-outs': (db: Db) => db`
    select from notification_fan_outs f join petitions p on p.id = f.petition_id
    where f.stepped_at < now() - interval '10 minutes'
      and (p.deleted_at is not null or p.status in ('active', 'closed', 'victory'))`,
  'decision-maker-mails': (db: Db) => db`
    select from decision_maker_links
    where sent_at is null and failed_at is null and replaced_at is null
      and created_at < now() - interval '1 hour'`,
  invalidations: (db: Db) => db`
    select from invalidations
    where state in ('applying', 'undoing') and created_at < now() - interval '1 day'`,
};

/** Counts the rows of a query. */
export async function countRows(db: Db, rows: ReturnType<typeof overdue.jobs>): Promise<number> {
  return db.value<number>`select count(*)::integer as count from (${rows}) overdue`;
}

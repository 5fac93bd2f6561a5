import type { Db, Pool } from '../../platform/db.ts';
import { readFollowerLags } from '../../platform/followers.ts';
import type { Warning } from './report.ts';

/** Warn about followers with a longer lag. */
const longLagSeconds = 60;

/** Finds failed jobs, overdue work and slow followers, which are not inconsistencies. */
export async function findWarnings(db: Pool): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const warn = (name: string, count: number, message: string) =>
    warnings.push({ name, count, message });
  for (const { job, count } of await failedJobs(db)) {
    warn('failed-jobs', count, `${count} of ${job} were tried as often as they may be`);
  }
  for (const [name, rows] of Object.entries(overdue)) {
    const count = await countRows(db, rows(db));
    if (count > 0) warn(`overdue-${name}`, count, `${count} have waited for too long`);
  }
  for (const { name, seconds } of await readFollowerLags(db)) {
    const rounded = Math.round(seconds);
    if (seconds > longLagSeconds) warn('follower-lag', rounded, `${name} is ${rounded} s behind`);
  }
  return warnings;
}

/** Counts jobs without attempts left, by name. */
async function failedJobs(db: Db): Promise<{ job: string; count: number }[]> {
  return db<{ job: string; count: number }[]>`
    select task_identifier as job, count(*)::integer as count from graphile_worker.jobs
    where attempts >= max_attempts
    group by 1
    order by 1`;
}

/** Queries for work that is overdue, by kind. */
const overdue = {
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
async function countRows(db: Db, rows: ReturnType<typeof overdue.jobs>): Promise<number> {
  return db.value<number>`select count(*)::integer as count from (${rows}) overdue`;
}

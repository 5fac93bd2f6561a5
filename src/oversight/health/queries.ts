import type { Db, Tx } from '../../platform/db.ts';

export interface FailedJob {
  id: string;
  task: string;
  attempts: number;
  /** What the last attempt failed with. */
  error: string | null;
  failed_at: Date;
}

/** Jobs that were given up, the newest first. */
export async function findFailedJobs(db: Db, limit: number): Promise<FailedJob[]> {
  return db<FailedJob[]>`
    select id::text, task_identifier as task, attempts, left(last_error, 300) as error,
      updated_at as failed_at
    from graphile_worker.jobs where attempts >= max_attempts
    order by updated_at desc limit ${limit}`;
}

/** Lets a job that was given up run again. Returns its task; undefined if there is none. */
export async function retryJob(tx: Tx, id: string): Promise<string | undefined> {
  const job = await tx.first<{ task: string }>`
    select task_identifier as task from graphile_worker.jobs
    where id = ${id}::bigint and attempts >= max_attempts`;
  if (!job) return undefined;
  await tx`
    select graphile_worker.reschedule_jobs(array[${id}::bigint], run_at := now(), attempts := 0)`;
  return job.task;
}

/** What PostgreSQL says of itself and of the database. */
export async function readDatabase(
  db: Db,
): Promise<{ version: string; bytes: number; migration: string; migrations: number }> {
  return db.one`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as bytes,
      (select max(name) from migrations) as migration,
      (select count(*)::int from migrations) as migrations`;
}

export interface RunningBackfill {
  name: string;
  rows: number;
  total: number | null;
}

export async function findRunningBackfills(db: Db): Promise<RunningBackfill[]> {
  return db<RunningBackfill[]>`
    select name, rows::float8, total::float8 from backfills
    where completed_at is null order by name`;
}

/** When a worker was last seen; null if none ever was. */
export async function findLastWorker(db: Db): Promise<Date | null> {
  return db.value<Date | null>`select max(seen_at) from job_workers`;
}

/** Addresses that get no mail of some kind, by cause, and webhooks that were switched off. */
export async function countSwitchedOff(
  db: Db,
): Promise<{ bounced: number; complained: number; unsubscribed: number; webhooks: number }> {
  return db.one`
    select count(*) filter (where cause = 'bounced')::int as bounced,
      count(*) filter (where cause = 'complained')::int as complained,
      count(*) filter (where cause = 'unsubscribed')::int as unsubscribed,
      (select count(*)::int from webhook_endpoints
        where user_id is not null and not is_active and failing_since is not null) as webhooks
    from mail_suppressions`;
}

export async function findLastBackup(db: Db): Promise<Date | null> {
  return db.value<Date | null>`select max(taken_at) from backups`;
}

export async function insertBackup(db: Db, takenAt: Date): Promise<void> {
  await db`insert into backups (taken_at) values (${takenAt}) on conflict do nothing`;
}

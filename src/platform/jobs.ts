import { Logger as GraphileLogger, run, type Runner, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { EventNotifier } from './event-notifier.ts';
import type { Db, Pool } from './db.ts';
import { openJobsPool } from './db/pools.ts';
import { sleepAfterFailures } from './backoff.ts';
import { usesOnlyDatabase } from './outage-log.ts';

/** Handlers of jobs by name. A job whose handler throws is retried later. */
export type JobHandlers = Record<string, (payload: never) => Promise<void>>;

export interface Schedule {
  job: string;
  /** A cron expression of five fields, in UTC. */
  cron: string;
}

export interface JobOptions {
  /** A job replaces a waiting one with the same key. */
  key?: string;
  runAt?: Date;
  /** Jobs of one queue run one after the other, across processes. */
  queue?: string;
  maxAttempts?: number;
  /** 0 by default. Jobs with a higher number wait while others are due. */
  priority?: number;
}

export type JobPayload = Record<string, string | number | boolean | null>;

/** Stores a job in the caller's transaction. A worker runs it after the commit. */
export async function addJob(
  db: Db,
  name: string,
  payload: JobPayload,
  options: JobOptions = {},
): Promise<void> {
  await db`
    select 1 from graphile_worker.add_job(${name}, payload => ${db.json(payload)}::json,
      queue_name => ${options.queue ?? null}, job_key => ${options.key ?? null},
      run_at => ${options.runAt ?? null}, priority => ${options.priority ?? null},
      max_attempts => ${options.maxAttempts ?? 12})`;
}

/** Removes a job that waits; one that runs is not run again. */
export async function removeJob(db: Db, key: string): Promise<void> {
  await db`select 1 from graphile_worker.remove_job(${key})`;
}

/** Returns the payloads of jobs of that name about a user, those included that have used up their attempts. */
export const findJobsOf = (db: Db, name: string, userId: string): Promise<JobPayload[]> =>
  db.column<JobPayload>`
    select j.payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${name} and j.payload ->> 'user_id' = ${userId}`;

/** Removes the jobs of that name about a user, those included that have used up their attempts. */
export async function removeJobsOf(db: Db, name: string, userId: string): Promise<void> {
  await db`
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = ${name} and j.payload ->> 'user_id' = ${userId}`;
}

/** Counts jobs that are due, and jobs that have used up their attempts. */
export async function countJobs(db: Db): Promise<{ waiting: number; failed: number }> {
  return db.one<{ waiting: number; failed: number }>`
    select count(*) filter (where attempts < max_attempts and run_at <= now())::integer as waiting,
      count(*) filter (where attempts >= max_attempts)::integer as failed
    from graphile_worker.jobs`;
}

/** Jobs that run at the same time. */
const concurrency = 5;

interface WorkerOptions {
  /** Address of PostgreSQL itself, not of a pooler. */
  databaseUrl: string;
  db: Pool;
  handlers: JobHandlers;
  eventNotifier: EventNotifier;
  schedules: Schedule[];
  log: Logger;
  /** A worker without a heartbeat for longer counts as dead. */
  heartbeatTimeoutMs?: number;
}

export interface JobWorker {
  stop(): Promise<void>;
  /** Stops the heartbeat, as if the process were killed. For tests. */
  stopHeartbeat(): void;
}

/** A runner of graphile-worker. */
interface JobRunner {
  /** The worker id that locks its jobs. */
  id: string;
  /** Resolves when it has stopped, for any reason. */
  stopped: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs jobs until it is stopped, and finishes running ones. A killed process leaves its jobs locked, so workers send
 * heartbeats and unlock the jobs of workers without one. graphile-worker ends its runner if it cannot store the
 * outcome of a job, for example while the database is unavailable: the runner is then restarted.
 */
export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { db, log, heartbeatTimeoutMs = 30_000 } = options;
  const pgPool = openJobsPool(options.databaseUrl, concurrency + 3);
  const stopping = new AbortController();
  const { signal } = stopping;
  let runner = await startRunner(options, pgPool);
  await sendHeartbeat(db, runner.id);

  const restart = async () => {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await unlockJobs(db, runner.id);
        runner = await startRunner(options, pgPool);
        return;
      } catch (error) {
        log.error({ err: error, [usesOnlyDatabase]: true }, 'the job runner does not start');
        await sleepAfterFailures(failures, signal);
      }
    }
  };
  const supervise = async () => {
    while (!signal.aborted) {
      await runner.stopped;
      if (signal.aborted) return;
      log.warn({ [usesOnlyDatabase]: true }, 'the job runner stopped; it is started again');
      await restart();
    }
  };
  const supervising = supervise();

  const onHeartbeat = async () => {
    await sendHeartbeat(db, runner.id);
    const workers = await unlockJobsOfDead(db, heartbeatTimeoutMs);
    if (workers > 0) log.warn({ workers }, 'unlocked the jobs of workers that died');
  };
  const heartbeat = setInterval(() => {
    onHeartbeat().catch((error: unknown) => log.error({ err: error }, 'heartbeat of jobs failed'));
  }, heartbeatTimeoutMs / 6);

  return {
    stopHeartbeat: () => clearInterval(heartbeat),
    async stop() {
      clearInterval(heartbeat);
      stopping.abort();
      await runner.stop();
      await supervising;
      await pgPool.end();
      await db`delete from job_workers where id = ${runner.id}`;
    },
  };
}

async function startRunner(options: WorkerOptions, pgPool: pg.Pool): Promise<JobRunner> {
  const { log, eventNotifier, handlers, schedules } = options;
  const events: WorkerEvents = new EventEmitter();
  // graphile-worker locks jobs under the id of the pool that runs them.
  let id = '';
  events.on('pool:create', ({ workerPool }) => (id = workerPool.id));
  events.on('job:error', ({ job, error }) =>
    log.warn({ job: job.task_identifier, attempt: job.attempts, err: error }, 'a job failed'),
  );
  const runner: Runner = await run({
    pgPool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1000,
    // With a delay, even of 0, graphile-worker ends its runner where the result of a job cannot be stored. Without one it
    // leaves the promise unhandled, which ends the process when the connection is lost at that moment.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [
        name,
        async (payload: unknown) => {
          try {
            await handler(payload as never);
          } finally {
            eventNotifier.notify();
          }
        },
      ]),
    ),
    crontab: schedules.map(({ job, cron }) => `${cron} ${job}`).join('\n'),
    events,
    logger: new GraphileLogger(() => (level: string, message, meta) => {
      // Failed jobs are logged by job:error.
      if (level !== 'error' || meta?.failure) return;
      log.error(
        { err: meta?.error ?? meta?.fatalError, detail: message, [usesOnlyDatabase]: true },
        'the job runner reports an error',
      );
    }),
  });
  const stopped = runner.promise.catch(() => {});
  return {
    id,
    stopped,
    async stop() {
      // It may have stopped already.
      await runner.stop().catch(() => {});
      await stopped;
    },
  };
}

async function sendHeartbeat(db: Db, id: string): Promise<void> {
  await db`
    insert into job_workers (id) values (${id})
    on conflict (id) do update set seen_at = now()`;
}

/** Unlocks the jobs of workers whose last heartbeat is older. Returns the number of these workers. */
async function unlockJobsOfDead(db: Db, timeoutMs: number): Promise<number> {
  const dead = await db.first`
    with dead as (
      delete from job_workers where seen_at < now() - ${timeoutMs} * interval '1 millisecond'
      returning id
    )
    select count(*)::integer as n, graphile_worker.force_unlock_workers(array_agg(id))
    from dead having count(*) > 0`;
  return (dead?.n as number | undefined) ?? 0;
}

/** Unlocks the jobs of a runner that stopped. */
async function unlockJobs(db: Db, id: string): Promise<void> {
  await db`
    with stopped as (delete from job_workers where id = ${id})
    select 1 from graphile_worker.force_unlock_workers(array[${id}::text])`;
}

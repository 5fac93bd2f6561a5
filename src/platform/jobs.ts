import { Logger as GraphileLogger, run, type Runner, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { Bell } from './bell.ts';
import type { Db, Pool } from './db.ts';

/** What to do for each kind of job, by its name. A job that throws is tried again later. */
export type JobHandlers = Record<string, (payload: never) => Promise<void>>;

export interface Schedule {
  job: string;
  /** Five fields of cron, in UTC. */
  cron: string;
}

interface JobOptions {
  /** Jobs with one key replace each other while they wait. */
  key?: string;
  runAt?: Date;
  /** Jobs of one queue run one after the other, in whatever process. */
  queue?: string;
  maxAttempts?: number;
}

/** Stores a job as part of the caller's transaction; a worker runs it once that is committed. */
export async function addJob(
  db: Db,
  name: string,
  payload: Record<string, string | number | boolean | null>,
  options: JobOptions = {},
): Promise<void> {
  await db`
    select 1 from graphile_worker.add_job(${name}, payload => ${db.json(payload)}::json,
      queue_name => ${options.queue ?? null}, job_key => ${options.key ?? null},
      run_at => ${options.runAt ?? null},
      max_attempts => ${options.maxAttempts ?? 12})`;
}

/** Jobs that are due and wait, and those that have failed too often to be tried again. */
export async function countJobs(db: Db): Promise<{ waiting: number; failed: number }> {
  const [row] = await db<{ waiting: number; failed: number }[]>`
    select count(*) filter (where attempts < max_attempts and run_at <= now())::integer as waiting,
      count(*) filter (where attempts >= max_attempts)::integer as failed
    from graphile_worker.jobs`;
  return row!;
}

interface WorkerOptions {
  databaseUrl: string;
  db: Pool;
  handlers: JobHandlers;
  bell: Bell;
  schedules: Schedule[];
  log: Logger;
  /** A worker that was silent for longer is taken for dead, in milliseconds. */
  silence?: number;
}

export interface JobWorker {
  stop(): Promise<void>;
  /** Stops telling that it lives, as a process that was killed does. For tests. */
  goSilent(): void;
}

/**
 * Runs jobs until it is stopped; then those under way are finished. A process that is killed leaves
 * its jobs locked, so workers tell that they live and unlock what the silent ones held.
 */
export async function startWorker(options: WorkerOptions): Promise<JobWorker> {
  const { db, log, silence = 30_000 } = options;
  const events: WorkerEvents = new EventEmitter();
  // Jobs are locked in the name of the pool that runs them.
  let pool = '';
  events.on('pool:create', ({ workerPool }) => (pool = workerPool.id));
  events.on('job:error', ({ job, error }) =>
    log.warn({ job: job.task_identifier, attempt: job.attempts, err: error }, 'a job failed'),
  );
  const runner: Runner = await run({
    connectionString: options.databaseUrl,
    concurrency: 5,
    noHandleSignals: true,
    pollInterval: 1000,
    taskList: Object.fromEntries(
      Object.entries(options.handlers).map(([name, handler]) => [
        name,
        async (payload: unknown) => {
          try {
            await handler(payload as never);
          } finally {
            options.bell.ring();
          }
        },
      ]),
    ),
    crontab: options.schedules.map(({ job, cron }) => `${cron} ${job}`).join('\n'),
    events,
    logger: new GraphileLogger(() => (level: string, message) => {
      if (level === 'error') log.error(message);
    }),
  });

  const tellAndReap = async () => {
    await db`
      insert into job_workers (id) values (${pool})
      on conflict (id) do update set seen_at = now()`;
    const [dead] = await db`
      with dead as (
        delete from job_workers where seen_at < now() - ${silence} * interval '1 millisecond'
        returning id
      )
      select count(*)::integer as n, graphile_worker.force_unlock_workers(array_agg(id))
      from dead having count(*) > 0`;
    if (dead) log.warn({ workers: dead.n }, 'unlocked the jobs of workers that died');
  };
  await tellAndReap();
  const heartbeat = setInterval(() => {
    tellAndReap().catch((error: unknown) => log.error({ err: error }, 'heartbeat of jobs failed'));
  }, silence / 6);

  return {
    goSilent: () => clearInterval(heartbeat),
    async stop() {
      clearInterval(heartbeat);
      await runner.stop();
      await db`delete from job_workers where id = ${pool}`;
    },
  };
}

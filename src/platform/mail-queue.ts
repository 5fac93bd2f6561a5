import { Gauge, type Registry } from 'prom-client';
import type { Db } from './db.ts';
import { readIfAvailable } from './gauges.ts';
import { addJob, type JobOptions, type JobPayload } from './jobs.ts';

/** Mails that wait, over all queues. */
export interface MailQueue {
  /** Due now, or not accepted so far. */
  waiting: number;
  /** Given up after two days. */
  failed: number;
  /** Since when the oldest one waits. */
  oldest_at: Date | null;
}

/** Reads a queue of mails that a slice keeps beside jobs. */
export type QueueReader = (db: Db) => Promise<MailQueue>;

/**
 * Attempts of a job that sends a mail. The pauses between them are those of graphile-worker, e^n seconds and at most
 * e^10: the first is 3 s, and all 17 together are 52 hours.
 */
export const mailAttempts = 18;

/** Stores a job that sends a mail. It is tried for two days. */
export const addMailJob = (
  db: Db,
  name: string,
  payload: JobPayload,
  options: Omit<JobOptions, 'maxAttempts'> = {},
): Promise<void> => addJob(db, name, payload, { ...options, maxAttempts: mailAttempts });

/** Returns what reads all queues: jobs of these names, and what slices keep themselves. */
export const mailQueueReader =
  (jobNames: readonly string[], readers: readonly QueueReader[]): QueueReader =>
  async (db) => {
    const queues = await Promise.all([
      readJobs(db, jobNames),
      ...readers.map((reader) => reader(db)),
    ]);
    const times = queues.flatMap(({ oldest_at }) => oldest_at ?? []);
    return {
      waiting: queues.reduce((sum, { waiting }) => sum + waiting, 0),
      failed: queues.reduce((sum, { failed }) => sum + failed, 0),
      oldest_at: times.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
    };
  };

const readJobs = (db: Db, names: readonly string[]): Promise<MailQueue> =>
  db.one<MailQueue>`
    select count(*) filter (where is_alive and (attempts > 0 or run_at <= now()))::integer as waiting,
      count(*) filter (where not is_alive)::integer as failed,
      min(created_at) filter (where is_alive and (attempts > 0 or run_at <= now())) as oldest_at
    from (
      select attempts, run_at, created_at, attempts < max_attempts as is_alive
      from graphile_worker.jobs where task_identifier = any(${[...names]}::text[])) mails`;

/** Adds gauges of the queue to the metrics of a worker. */
export function registerQueueGauges(metrics: Registry, read: () => Promise<MailQueue>): void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics] });
  const failed = gauge('mails_failed', 'Mails that were given up after two days');
  const oldest = gauge('mails_oldest_waiting_seconds', 'How long the oldest waiting mail waits');
  const waiting: Gauge = new Gauge({
    name: 'mails_waiting',
    help: 'Mails that are due, or were not accepted so far',
    registers: [metrics],
    async collect() {
      const queue = await readIfAvailable(read);
      // Not the former figures, and not 0.
      waiting.set(queue?.waiting ?? Number.NaN);
      failed.set(queue?.failed ?? Number.NaN);
      oldest.set(queue ? secondsSince(queue.oldest_at) : Number.NaN);
    },
  });
}

const secondsSince = (time: Date | null): number =>
  time ? Math.max(0, (Date.now() - time.getTime()) / 1000) : 0;

import { petitionStatuses } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import type { LoggedEvent } from '../../platform/events.ts';
import { readFollowerLags } from '../../platform/followers.ts';
import { countJobs } from '../../platform/jobs.ts';
import type { QueueReader } from '../../platform/mail-queue.ts';
import * as queries from './queries.ts';
import type { Countable } from './queries.ts';
import type { AdminMetrics } from './schema.ts';

/** Up to this number rows are counted, in a few milliseconds; larger numbers are estimated. */
const maxExactCount = 10_000;

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** Returns figures for administrators: totals, queues and their age. */
export function readMetrics(ctx: Context, deps: MetricsDeps): Promise<AdminMetrics> {
  return ctx.cache.read('admin-metrics', 'all', () => collect(ctx, deps));
}

export interface MetricsDeps {
  readMailQueue: QueueReader;
}

async function collect(ctx: Context, { readMailQueue }: MetricsDeps): Promise<AdminMetrics> {
  const { replica: db } = ctx.pools;
  const estimated: string[] = [];
  const count = async (name: string, rows: Countable) => {
    const counted = await queries.countUpTo(db, maxExactCount, rows);
    if (counted < maxExactCount) return counted;
    estimated.push(name);
    return Math.max(maxExactCount, await queries.estimateRows(db, rows));
  };
  const { users, comments, signatures, openReports, petitions } = queries.countable;
  const byStatus: Partial<AdminMetrics['petitions']> = {};
  for (const status of petitionStatuses) {
    byStatus[status] = await count(`petitions.${status}`, petitions(db, status));
  }
  const oldest = await queries.findOldestWaiting(db);
  const newSignatures = await queries.findDailySignatures(db, dayOf(ctx.now()));
  return {
    users: await count('users', users(db)),
    petitions: byStatus as AdminMetrics['petitions'],
    signatures: { total: await count('signatures.total', signatures(db)), ...newSignatures },
    comments: await count('comments', comments(db)),
    open_reports: {
      count: await count('open_reports.count', openReports(db)),
      oldest_at: oldest.report,
    },
    under_review: { count: byStatus.under_review!, oldest_at: oldest.petition },
    jobs: await countJobs(db),
    mails: await readMailQueue(db),
    followers: (await readFollowerLags(db)).map(({ name, seconds }) => ({
      name,
      lag_seconds: seconds,
    })),
    estimated,
  };
}

/** Maintains the number of signatures of each day. */
export async function sumSignaturesByDay(tx: Tx, events: LoggedEvent[]): Promise<void> {
  const byDay = Map.groupBy(events, ({ createdAt }) => dayOf(createdAt));
  for (const [day, { length }] of byDay) await queries.addDailySignatures(tx, day, length);
}

import { statfs } from 'node:fs/promises';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { readFollowerLags } from '../../platform/followers.ts';
import type { Caller } from '../../platform/http/route.ts';
import { countJobs } from '../../platform/jobs.ts';
import type { MailQueue, QueueReader } from '../../platform/mail-queue.ts';
import { notFound } from '../../platform/problems.ts';
import { settingAdvice, type AdviceName } from '../../platform/setting-advice.ts';
import { version } from '../../platform/version.ts';
import { isOwn, readState, type LogState } from '../../reach/transparency-log/transparency-log.ts';
import * as queries from './queries.ts';
import type { FailedJob, RunningBackfill } from './queries.ts';

export type { FailedJob } from './queries.ts';

const shownJobs = 50;

/** Beyond these, something is wrong. */
const limits = {
  followerLagSeconds: 60,
  mailWaitMs: 10 * 60_000,
  workerAgeMs: 2 * 60_000,
  backupAgeMs: 7 * 24 * 3600_000,
  freeDiskShare: 0.1,
};

export interface Health {
  version: string;
  database: { version: string; bytes: number; migration: string; migrations: number };
  /** Of the disk with DATA_DIR, in bytes; undefined where it cannot be read. */
  disk: { free: number; size: number } | undefined;
  backfills: RunningBackfill[];
  jobs: { waiting: number; failed: number };
  failedJobs: FailedJob[];
  mails: MailQueue;
  /** Addresses that get no mail of some kind. */
  silenced: { bounced: number; complained: number; unsubscribed: number };
  /** Webhooks that were switched off since nobody answered. */
  webhooksOff: number;
  /** In seconds. */
  followers: { name: string; seconds: number }[];
  lastWorkerAt: Date | null;
  lastBackupAt: Date | null;
  findings: Finding[];
}

/** Something that is wrong, by its name, which texts explain. */
export interface Finding {
  name:
    | 'jobs_failed'
    | 'no_worker'
    | 'mails_stuck'
    | 'mails_failed'
    | 'followers_behind'
    | 'disk_full'
    | 'log_halted'
    | 'log_elsewhere'
    | 'no_backup'
    | 'old_backup'
    | 'no_contact'
    | AdviceName;
  values: Record<string, number>;
}

/** Reads how the service is, and what is wrong with it. */
export async function readHealth(
  ctx: Context,
  { readMailQueue }: { readMailQueue: QueueReader },
): Promise<Health> {
  const { main: db } = ctx.pools;
  const { webhooks, ...silenced } = await queries.countSwitchedOff(db);
  const health = {
    version,
    database: await queries.readDatabase(db),
    disk: await readDisk(ctx.config.dataDir),
    backfills: await queries.findRunningBackfills(db),
    jobs: await countJobs(db),
    failedJobs: await queries.findFailedJobs(db, shownJobs),
    mails: await readMailQueue(db),
    silenced,
    webhooksOff: webhooks,
    followers: await readFollowerLags(db),
    lastWorkerAt: await queries.findLastWorker(db),
    lastBackupAt: await queries.findLastBackup(db),
  };
  const findings = [
    ...findingsOf(ctx, health),
    ...logFindings(ctx, await readState(db)),
    ...settingFindings(ctx),
  ];
  return { ...health, findings };
}

async function readDisk(dataDir: string): Promise<Health['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch {
    return undefined;
  }
}

function findingsOf({ now }: Context, health: Omit<Health, 'findings'>): Finding[] {
  const { jobs, mails, followers, lastWorkerAt, lastBackupAt, disk } = health;
  const age = (at: Date) => now().getTime() - at.getTime();
  const behind = followers.filter(({ seconds }) => seconds > limits.followerLagSeconds);
  const findings: (Finding | false)[] = [
    (!lastWorkerAt || age(lastWorkerAt) > limits.workerAgeMs) && { name: 'no_worker', values: {} },
    jobs.failed > 0 && { name: 'jobs_failed', values: { count: jobs.failed } },
    mails.oldest_at !== null &&
      age(mails.oldest_at) > limits.mailWaitMs && {
        name: 'mails_stuck',
        values: { count: mails.waiting },
      },
    mails.failed > 0 && { name: 'mails_failed', values: { count: mails.failed } },
    behind.length > 0 && { name: 'followers_behind', values: { count: behind.length } },
    disk !== undefined &&
      disk.free < disk.size * limits.freeDiskShare && { name: 'disk_full', values: {} },
    lastBackupAt === null
      ? { name: 'no_backup', values: {} }
      : age(lastBackupAt) > limits.backupAgeMs && {
          name: 'old_backup',
          values: { count: Math.floor(age(lastBackupAt) / (24 * 3600_000)) },
        },
  ];
  return findings.filter((one) => one !== false);
}

/** What is wrong with the public log, where it is switched on. */
function logFindings({ config }: Context, state: LogState | undefined): Finding[] {
  if (!config.transparencyLog || !state) return [];
  if (!isOwn(config, state)) return [{ name: 'log_elsewhere', values: {} }];
  return state.haltedBecause === null ? [] : [{ name: 'log_halted', values: {} }];
}

/** What is set in a way that a site in production should not have. */
function settingFindings({ config, site }: Context): Finding[] {
  const names: Finding['name'][] = settingAdvice(config).map(({ name }) => name);
  if (site.current.contactEmail === null) names.push('no_contact');
  return names.map((name) => ({ name, values: {} }));
}

/**
 * Lets a job that was given up run again.
 * @throws {Problem} not-found
 */
export async function retryJob(ctx: Context, caller: Caller, id: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const task = await queries.retryJob(tx, id);
    if (task === undefined) throw notFound('job');
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'job.retry',
      targetType: 'job',
      targetId: null,
      details: { task, job: id },
    });
  });
}

/** Notes that a backup was taken now. */
export const noteBackup = ({ db }: Pick<Context, 'db'>): Promise<void> =>
  queries.insertBackup(db, new Date());

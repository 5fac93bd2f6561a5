import type { Pool } from '../../platform/db.ts';
import { readFollowerLags } from '../../platform/followers.ts';
import type { Warning } from './check.ts';
import { inSnapshot } from './snapshot.ts';
import * as queries from './warning-queries.ts';

/** Warn about followers with a longer lag. */
const longLagSeconds = 60;

/** Finds failed jobs, overdue work and slow followers, which are not inconsistencies. */
export async function findWarnings(db: Pool): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const warn = (name: string, count: number, message: string) =>
    warnings.push({ name, count, message });
  for (const { job, count } of await inSnapshot(db, queries.failedJobs)) {
    warn('failed-jobs', count, `${count} of ${job} were tried as often as they may be`);
  }
  for (const [name, rows] of Object.entries(queries.overdue)) {
    const count = await inSnapshot(db, (tx) => queries.countRows(tx, rows(tx)));
    if (count > 0) warn(`overdue-${name}`, count, `${count} have waited for too long`);
  }
  for (const { name, seconds } of await inSnapshot(db, readFollowerLags)) {
    const rounded = Math.round(seconds);
    if (seconds > longLagSeconds) warn('follower-lag', rounded, `${name} is ${rounded} s behind`);
  }
  return warnings;
}

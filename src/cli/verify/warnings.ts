import type { Pool } from '../../platform/db.ts';
import { lags } from '../../platform/followers.ts';
import type { Warning } from './check.ts';
import { atOneMoment } from './snapshot.ts';
import * as queries from './warning-queries.ts';

/** A follower that is further behind is worth a look. */
const longLagSeconds = 60;

/** What waits for too long, or was given up: nothing of it is wrong in the database. */
export async function findWarnings(db: Pool): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const warn = (name: string, count: number, message: string) =>
    warnings.push({ name, count, message });
  for (const { job, count } of await atOneMoment(db, queries.failedJobs)) {
    warn('failed-jobs', count, `${count} of ${job} were tried as often as they may be`);
  }
  for (const [name, rows] of Object.entries(queries.overdue)) {
    const count = await atOneMoment(db, (tx) => queries.countRows(tx, rows(tx)));
    if (count > 0) warn(`overdue-${name}`, count, `${count} have waited for too long`);
  }
  for (const { name, seconds } of await atOneMoment(db, lags)) {
    const rounded = Math.round(seconds);
    if (seconds > longLagSeconds) warn('follower-lag', rounded, `${name} is ${rounded} s behind`);
  }
  return warnings;
}

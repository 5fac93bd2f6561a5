import type { Quota } from '../../platform/limits.ts';
import { wasDone } from '../../platform/audit.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import { lockPetition } from '../../campaigns/petitions/state.ts';
import { transitionPetition } from '../../campaigns/petitions/transition.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { systemActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { notFound } from '../../platform/problems.ts';
import { networkHash, networkKey } from './networks.ts';
import { storeReport } from './queueing.ts';
import { contentOfVisible } from './targets.ts';
import * as queries from './queries.ts';
import type { NewReport } from './queries.ts';
import type { Report, ReportInput } from './schema.ts';

export {
  columns as reportColumns,
  countOpen as countOpenReports,
  forgetSnapshotsOf,
  reopenReports,
  resolveReports,
  weightOn,
} from './queries.ts';
export { findReportContact, type ReportContact } from './contacts.ts';
export {
  confirmReport,
  createPendingReport,
  findPendingOfLink,
  findPendingOfBrowser,
  reportMail,
} from './pending.ts';
export { emitQueued } from './queueing.ts';

const reportQuota: Quota = { name: 'report', points: 30, durationSeconds: 3600 };
/** Reports without an address, by network: a flood would hide the others from moderators. */
const anonymousQuota: Quota = {
  name: 'report-anonymous',
  points: 5,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/** Weighing reports that put an active petition under review if MODERATION is `reports`. */
const minReportsToFlag = 5;
/** The same, after a moderator has approved the petition. */
const minReportsAfterApproval = 50;
/** In production, so that an account for each report must be made long before. */
const minAccountAgeHours = 24;

/** Which reports weigh now. */
export const weighingNow = ({ config, now }: Context) => ({
  createdBefore: new Date(
    now().getTime() - (config.production ? minAccountAgeHours : 0) * 3_600_000,
  ),
});

/**
 * Reports a target to the moderators. Returns the existing report if the caller has an open one on the target.
 * @throws {Problem} not-found if the caller cannot see the target; forbidden; rate-limited
 */
export async function createReport(
  ctx: Context,
  caller: Caller,
  input: ReportInput,
): Promise<Report> {
  const target = { type: input.target_type, id: input.target_id.toLowerCase() };
  const existing = await queries.findOpenReport(ctx.db, caller.userId, target);
  if (existing) return existing;
  const content = await contentOfVisible(ctx, caller, target, input.access_code);
  await ctx.limits.take(reportQuota, caller.userId, 'Too many reports.');
  const { stored, wasFlagged } = await transaction(ctx.db, (tx) =>
    store(ctx, tx, {
      id: newId(),
      reporter: { userId: caller.userId },
      target,
      content,
      reason: input.reason,
      description: input.description?.trim() || null,
      network: networkHash(ctx),
    }),
  );
  if (wasFlagged) evictPetitions(ctx, [target.id]);
  return stored;
}

/**
 * Reports sexual abuse of children without an account or an address. Returns the open report that the network sent on
 * the same target before. It never weighs.
 * @throws {Problem} as `createReport`
 */
export async function createReportWithoutAddress(
  ctx: Context,
  input: Omit<ReportInput, 'reason'>,
  ip: string,
): Promise<Report> {
  const target = { type: input.target_type, id: input.target_id.toLowerCase() };
  const content = await contentOfVisible(ctx, null, target, input.access_code);
  const network = networkHash(ctx);
  const existing = network && (await queries.findOpenReportOfNetwork(ctx.db, target, network));
  if (existing) return existing;
  const quota = ctx.sharedNetworks.raiseQuota(anonymousQuota, ip);
  await ctx.limits.take(quota, networkKey(ctx, ip), 'Too many reports from this address.');
  return transaction(ctx.db, (tx) =>
    storeReport(tx, {
      id: newId(),
      reporter: { userId: null, mailbox: null },
      target,
      content,
      reason: 'child_abuse',
      description: input.description?.trim() || null,
      network,
    }),
  );
}

/** @throws {Problem} not-found */
export async function requireReportExists(ctx: Context, id: string): Promise<void> {
  if (!(await queries.reportExists(ctx.db, id))) throw notFound('report');
}

/** Stores the report, and flags the petition if enough reports weigh. */
async function store(
  ctx: Context,
  tx: Tx,
  newReport: NewReport,
): Promise<{ stored: Report; wasFlagged: boolean }> {
  const { target } = newReport;
  const canFlag = ctx.site.current.moderation === 'reports' && target.type === 'petition';
  // Locked first, so that concurrent reports count each other.
  const petition = canFlag ? await lockPetition(tx, target.id) : undefined;
  const stored = await storeReport(tx, newReport);
  if (petition?.status !== 'active') return { stored, wasFlagged: false };
  const isApproved = await wasDone(tx, target.id, 'petition.approve');
  const weighing = await queries.countWeighing(tx, target, weighingNow(ctx));
  const wasFlagged = weighing >= (isApproved ? minReportsAfterApproval : minReportsToFlag);
  if (wasFlagged) await transitionPetition(tx, { petition, name: 'flag', actor: systemActor });
  return { stored, wasFlagged };
}

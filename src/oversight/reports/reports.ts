import { networkOf, type Quota } from '../../platform/limits.ts';
import { isLoopback, widerNetwork } from '../../platform/networks.ts';
import { wasDone } from '../../platform/audit.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import { lockPetition } from '../../campaigns/petitions/state.ts';
import { transitionPetition } from '../../campaigns/petitions/transition.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import { visibleComment } from '../../campaigns/comments/comments.ts';
import { findUser } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { systemActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { notFound } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { NewReport, Target } from './queries.ts';
import type { Report, ReportInput } from './schema.ts';

export {
  columns as reportColumns,
  countOpen as countOpenReports,
  resolveReports,
} from './queries.ts';

const reportQuota: Quota = { name: 'report', points: 30, durationSeconds: 3600 };

/** Weighing reports that put an active petition under review if MODERATION is `reports`. */
const minReportsToFlag = 5;
/** The same, after a moderator has approved the petition. */
const minReportsAfterApproval = 50;
/** In production, so that an account for each report must be made long before. */
const minAccountAgeHours = 24;

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
  await requireVisible(ctx, caller, target, input.access_code);
  await ctx.limits.take(reportQuota, caller.userId, 'Too many reports.');
  const { stored, wasFlagged } = await transaction(ctx.db, (tx) =>
    store(ctx, tx, {
      id: newId(),
      reporterId: caller.userId,
      target,
      reason: input.reason,
      description: input.description?.trim() || null,
      network: networkHash(ctx),
    }),
  );
  if (wasFlagged) evictPetitions(ctx, [target.id]);
  return stored;
}

async function requireVisible(
  ctx: Context,
  caller: Caller,
  { type, id }: Target,
  code: string | undefined,
): Promise<void> {
  switch (type) {
    case 'petition':
      await requireReadablePetition(ctx, caller, id, code);
      return;
    case 'comment': {
      const { comment } = await visibleComment(ctx, caller, { id, code });
      if (comment.deleted_at) throw notFound('comment');
      return;
    }
    case 'user':
      if (!(await findUser(ctx.db, id))) throw notFound('user');
  }
}

/** Keyed hash of the caller's network; null for this machine outside production, so that trying it out works. */
function networkHash({ keys, config, callerIp: ip }: Context): Buffer | null {
  if (ip === undefined || (!config.production && isLoopback(ip))) return null;
  return keys.hash('report-network', widerNetwork(networkOf(ip))).subarray(0, 16);
}

/** Stores the report, and flags the petition if enough reports weigh. */
async function store(
  { config }: Context,
  tx: Tx,
  newReport: NewReport,
): Promise<{ stored: Report; wasFlagged: boolean }> {
  const { target } = newReport;
  const canFlag = config.moderation === 'reports' && target.type === 'petition';
  // Locked first, so that concurrent reports count each other.
  const petition = canFlag ? await lockPetition(tx, target.id) : undefined;
  const stored = await queries.insertReport(tx, newReport);
  if (petition?.status !== 'active') return { stored, wasFlagged: false };
  const isApproved = await wasDone(tx, target.id, 'petition.approve');
  const weighing = await queries.countWeighing(tx, target, {
    minAgeHours: config.production ? minAccountAgeHours : 0,
  });
  const wasFlagged = weighing >= (isApproved ? minReportsAfterApproval : minReportsToFlag);
  if (wasFlagged) await transitionPetition(tx, { petition, name: 'flag', actor: systemActor });
  return { stored, wasFlagged };
}

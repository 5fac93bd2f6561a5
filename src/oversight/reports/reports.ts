import type { Quota } from '../../platform/limits.ts';
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

/** Users with open reports that put an active petition under review if MODERATION is `reports`. */
const minReportersToFlag = 5;

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
    store(tx, ctx.config.moderation === 'reports', {
      id: newId(),
      reporterId: caller.userId,
      target,
      reason: input.reason,
      description: input.description?.trim() || null,
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

/** Stores the report, and flags the petition if the number of reporters is reached. */
async function store(
  tx: Tx,
  shouldFlag: boolean,
  newReport: NewReport,
): Promise<{ stored: Report; wasFlagged: boolean }> {
  const { target } = newReport;
  // Locked first, so that concurrent reports count each other.
  const petition =
    shouldFlag && target.type === 'petition' ? await lockPetition(tx, target.id) : undefined;
  const stored = await queries.insertReport(tx, newReport);
  const wasFlagged =
    petition?.status === 'active' &&
    (await queries.countReporters(tx, target)) >= minReportersToFlag;
  if (wasFlagged) await transitionPetition(tx, { petition, name: 'flag', actor: systemActor });
  return { stored, wasFlagged };
}

import {
  forgetPetitions,
  lockPetition,
  transitionPetition,
  readablePetition,
} from '../../campaigns/petitions/petitions.ts';
import { visibleComment } from '../../campaigns/comments/comments.ts';
import { findUser } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { system } from '../../platform/events.ts';
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

/** So many people's open reports take an active petition out of sight, where MODERATION is `reports`. */
const reportsToFlag = 5;

/**
 * Reports something to the moderators. While a person's report of it is open, saying so again gives that
 * report and adds none.
 * @throws {Problem} not-found where the target is not there for the caller; rate-limited
 */
export async function report(ctx: Context, caller: Caller, input: ReportInput): Promise<Report> {
  const target = { type: input.target_type, id: input.target_id.toLowerCase() };
  const known = await queries.findOpenReport(ctx.db, caller.userId, target);
  if (known) return known;
  await requireVisible(ctx, caller, target, input.access_code);
  await ctx.limits.take('report', caller.userId, 'Too many reports.');
  const { stored, flagged } = await transaction(ctx.db, (tx) =>
    store(tx, ctx.config.moderation === 'reports', {
      id: newId(),
      reporterId: caller.userId,
      target,
      reason: input.reason,
      description: input.description?.trim() || null,
    }),
  );
  if (flagged) forgetPetitions(ctx, [target.id]);
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
      await readablePetition(ctx, caller, id, code);
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

/** Stores the report, and flags the petition where it is the one too many. */
async function store(
  tx: Tx,
  flags: boolean,
  given: NewReport,
): Promise<{ stored: Report; flagged: boolean }> {
  const { target } = given;
  // Locked first, so that of reports that come at once each counts those before it.
  const petition =
    flags && target.type === 'petition' ? await lockPetition(tx, target.id) : undefined;
  const stored = await queries.insertReport(tx, given);
  const flagged =
    petition?.status === 'active' && (await queries.countWeighing(tx, target)) >= reportsToFlag;
  if (flagged) await transitionPetition(tx, { petition, name: 'flag', actor: system });
  return { stored, flagged };
}

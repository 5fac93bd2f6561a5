import { changeHidden } from '../../campaigns/comments/comments.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import {
  keepUnderReview,
  transitionPetition,
  removePetition,
} from '../../campaigns/petitions/transition.ts';
import { lockPetition } from '../../campaigns/petitions/state.ts';
import { emptyReason } from '../../campaigns/signatures/signatures.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision, type DecisionAct } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { conflict, invalidValue } from '../../platform/problems.ts';
import { requireTargetUser, suspendInTransaction } from '../users/users.ts';
import { warn } from '../warnings/warnings.ts';
import { resolveReports } from '../reports/reports.ts';
import type {
  AdminReport,
  ReportAction,
  ReportActionInput,
  TargetType,
} from '../reports/schema.ts';
import type { QueuedReport } from './queries.ts';
import { present, requireReport } from './queue.ts';

export { listReportQueue, getReport } from './queue.ts';

interface ReportDecision {
  report: QueuedReport;
  action: ReportAction;
  note: string | undefined;
  /** What the author is told. */
  reason: string | undefined;
  caller: Caller;
  sessions: Sessions;
}

/**
 * Applies a moderator's decision to a report and all open reports of the same target.
 * @throws {Problem} not-found; validation-failed if the action does not apply to the target; forbidden;
 *   conflict if the report was resolved already, or the target was deleted or changed
 */
export async function actOnReport(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  id: string,
  { action, note, reason }: ReportActionInput,
): Promise<AdminReport> {
  const report = await requireReport(ctx, id);
  requireApplicable(report, action);
  if (action === 'suspend_user') await requireTargetUser(ctx.db, caller, report.author!.id);
  if (report.status !== 'open') throw alreadyResolved();
  await transaction(ctx.db, (tx) => act(tx, { report, action, note, reason, caller, sessions }));
  if (report.petition_id) evictPetitions(ctx, [report.petition_id]);
  if (action === 'suspend_user') await ctx.afterCommit(() => sessions.revocations.refresh());
  return present(ctx, await requireReport(ctx, id));
}

/** Applies the decision. Locks the content first, then the reports, then users. */
async function act(tx: Tx, decision: ReportDecision): Promise<void> {
  const { report, action, note, caller, sessions } = decision;
  const { target_type: type, target_id: targetId, author } = report;
  await changeContent(tx, decision);
  const resolved = await resolveReports(
    tx,
    { type, id: targetId },
    { status: action === 'dismiss' ? 'dismissed' : 'actioned', action, by: caller.userId },
  );
  if (!resolved.includes(report.id)) throw alreadyResolved();
  if (action === 'suspend_user') await suspendInTransaction(tx, sessions, caller, author!.id);
  if (action === 'warn_user') await warnAuthor(tx, decision);
  const concernsUser = action === 'suspend_user' || action === 'warn_user';
  await recordAdminAction(tx, {
    actorId: caller.userId,
    action: `report.${action}`,
    targetType: concernsUser ? 'user' : type,
    targetId: concernsUser ? author!.id : targetId,
    details: {
      report_id: report.id,
      reports: resolved.length,
      petition_id: report.petition_id,
      [`${type}_id`]: targetId,
    },
    reason: note === undefined ? undefined : { text: note, about: author?.id ?? null },
  });
  await recordDecision(tx, {
    act: actOf(action, type),
    target: concernsUser ? { type: 'user', id: author!.id } : { type, id: targetId },
    petitionId: report.petition_id,
    userId: author?.id ?? null,
    moderatorId: caller.userId,
    reason: decision.reason,
    rule: action === 'dismiss' ? undefined : report.reason,
    reportIds: resolved,
  });
}

function actOf(action: ReportAction, type: TargetType): DecisionAct {
  if (action === 'dismiss') return 'dismiss_report';
  return action === 'hide_content' ? hidingActs[type as keyof typeof hidingActs] : action;
}

const hidingActs = {
  petition: 'hide_petition',
  comment: 'hide_comment',
  signature: 'empty_reason',
} as const;

async function changeContent(tx: Tx, { report, action, caller }: ReportDecision): Promise<void> {
  const { target_type: type, target_id: id } = report;
  if (action === 'remove_petition')
    await removePetition(tx, id, { type: 'admin', id: caller.userId });
  if (action !== 'hide_content') return;
  if (type === 'comment') {
    const changed = await changeHidden(tx, { id, petition_id: report.petition_id! }, true);
    if (changed === undefined) throw conflict('target_gone', 'The comment was deleted meanwhile.');
    return;
  }
  if (type === 'signature') {
    const changed = await emptyReason(tx, { petitionId: report.petition_id!, id });
    if (!changed) throw conflict('target_gone', 'The signature or its reason is gone meanwhile.');
    return;
  }
  const petition = await lockPetition(tx, id);
  if (!petition) throw conflict('target_gone', 'The petition was deleted meanwhile.');
  // The number of reports may have hidden it before.
  if (petition.status === 'under_review') {
    await keepUnderReview(tx, id);
    return;
  }
  await transitionPetition(tx, {
    petition,
    name: 'flag',
    actor: { type: 'admin', id: caller.userId },
  });
}

async function warnAuthor(tx: Tx, { report, note, caller }: ReportDecision): Promise<void> {
  const warned = await warn(tx, {
    userId: report.author!.id,
    moderatorId: caller.userId,
    reportId: report.id,
    message: note ?? defaultWarnings[report.target_type],
  });
  if (!warned) throw conflict('target_gone', 'The account was erased meanwhile.');
}

const defaultWarnings = {
  petition: 'A petition of yours was reported, rightly. Please keep to the rules.',
  comment: 'A comment of yours was reported, rightly. Please keep to the rules.',
  signature:
    'A reason that you gave with a signature was reported, rightly. Please keep to the rules.',
  user: 'Your profile was reported, rightly. Please keep to the rules.',
};

/** @throws {Problem} validation-failed if the action does not apply to the target */
function requireApplicable(
  { target_type: type, state, author }: QueuedReport,
  action: ReportAction,
) {
  switch (action) {
    case 'dismiss':
      return;
    case 'hide_content':
      if (type === 'user') throw inapplicable('A user is suspended or warned, not hidden.');
      if (state === null || state === 'deleted') throw inapplicable('The target was deleted.');
      if (type === 'signature' && state === 'hidden') throw inapplicable('The reason is empty.');
      return;
    case 'remove_petition':
      if (type !== 'petition') throw inapplicable('Only a petition can be removed.');
      return;
    case 'suspend_user':
    case 'warn_user':
      if (!author) throw inapplicable('The account of the author was erased.');
  }
}

const inapplicable = (message: string) => invalidValue('action', message);

const alreadyResolved = () =>
  conflict('report_resolved', 'A moderator has resolved this report already.');

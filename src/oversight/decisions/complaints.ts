import type { Sessions } from '../../identity/sessions/sessions.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { retryOnDeadlock, transaction, type Tx } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { conflict, forbidden, gone, notFound } from '../../platform/problems.ts';
import { emitQueued } from '../reports/reports.ts';
import * as queries from './queries.ts';
import type { ComplaintRow, Decision } from './queries.ts';
import { applyAfterCommit, reverse, type Reversal } from './reversing.ts';
import type {
  Complaint,
  ComplaintDecisionInput,
  ComplaintInput,
  ComplaintListQuery,
} from './schema.ts';
import { isOpenTo } from './statement.ts';
import { readComplaintToken, type ComplaintLink } from './tokens.ts';

/** For this time after a complaint, the moderator of the decision leaves it to others. */
const waitingHours = 24;

const complaintQuota: Quota = { name: 'complaint', points: 30, durationSeconds: 3600 };

/** What the page of a link shows. */
export interface ComplaintState {
  decision: Decision;
  side: ComplaintLink['side'];
  complaint: ComplaintRow | undefined;
  /** Whether the person can complain now. */
  isOpen: boolean;
}

/**
 * Returns the decision that a link is about, and the complaint of its side. Changes nothing.
 * @throws {Problem} not-found for a wrong link
 */
export async function readComplaintLink(ctx: Context, token: string): Promise<ComplaintState> {
  const { decisionId, side } = readComplaintToken(ctx.keys, token);
  const decision = (await queries.findDecisions(ctx.db, [decisionId])).get(decisionId);
  if (!decision) throw notFound('link');
  const complaint = await queries.findComplaintOf(ctx.db, decisionId, side);
  const isOpen = !complaint && isOpenTo(decision.act, side) && ctx.now() < decision.expires_at;
  return { decision, side, complaint, isOpen };
}

/**
 * Stores the complaint of a link, once for each decision and side.
 * @throws {Problem} not-found for a wrong link; gone after six months; conflict for a second one; rate-limited
 */
export async function complain(
  ctx: Context,
  token: string,
  { text }: ComplaintInput,
): Promise<void> {
  const link = readComplaintToken(ctx.keys, token);
  const { decision, side } = await readComplaintLink(ctx, token);
  if (!isOpenTo(decision.act, side)) throw notFound('link');
  if (ctx.now() >= decision.expires_at) {
    throw gone('Complaints about this decision are no longer taken.');
  }
  if (ctx.callerIp) {
    await ctx.limits.take(complaintQuota, networkOf(ctx.callerIp), 'Too many complaints.');
  }
  const complaint = {
    id: newId(),
    decisionId: decision.id,
    side,
    userId: link.userId,
    reportId: link.reportId,
    text: text.trim(),
    createdAt: ctx.now(),
  };
  const isNew = await transaction(ctx.db, async (tx) => {
    const isStored = await queries.insertComplaint(tx, complaint);
    if (isStored) await emitQueued(tx, 'complaint');
    return isStored;
  });
  if (!isNew) throw conflict('complaint_exists', 'There is a complaint about this already.');
}

/** Returns a page of complaints with one status, oldest first. */
export async function listComplaints(
  ctx: Context,
  { status = 'open', cursor, limit = defaultLimit }: ComplaintListQuery,
): Promise<Page<Complaint>> {
  const list = `complaints-${status}`;
  const after = decodeCursor(list, ['uuid'], cursor);
  const rows = await queries.listComplaints(ctx.db, status, after && String(after[0]), limit + 1);
  return toPage(
    rows,
    limit,
    ({ id }) => encodeCursor(list, [id]),
    (row) => row,
  );
}

/** @throws {Problem} not-found */
export async function getComplaint(ctx: Context, id: string): Promise<Complaint> {
  const complaint = await queries.findComplaint(ctx.db, id);
  if (!complaint) throw notFound('complaint');
  return complaint;
}

/**
 * Decides about a complaint. `reverse` undoes the act in the same transaction.
 * @throws {Problem} not-found; forbidden for the moderator of the decision within 24 hours; conflict if the complaint
 *   is decided already, or the act cannot be undone
 */
export async function decideComplaint(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  id: string,
  input: ComplaintDecisionInput,
): Promise<Complaint> {
  const reversal = await retryOnDeadlock(() =>
    transaction(ctx.db, (tx) => decide(ctx, tx, sessions, caller, id, input)),
  );
  await applyAfterCommit(ctx, sessions, reversal);
  return getComplaint(ctx, id);
}

async function decide(
  ctx: Context,
  tx: Tx,
  sessions: Sessions,
  caller: Caller,
  id: string,
  { decision: outcome, reason }: ComplaintDecisionInput,
): Promise<Reversal> {
  const complaint = await queries.lockComplaint(tx, id);
  if (!complaint) throw notFound('complaint');
  const decision = (await queries.findDecisions(tx, [complaint.decision_id])).get(
    complaint.decision_id,
  )!;
  const sameModerator = requireMayDecide(ctx.now(), caller, complaint, decision);
  const reversal = outcome === 'reverse' ? await reverse(tx, { decision, caller, sessions }) : {};
  await queries.storeOutcome(tx, id, {
    status: outcome === 'reverse' ? 'reversed' : 'upheld',
    reason,
    by: caller.userId,
    sameModerator,
    at: ctx.now(),
  });
  await recordAdminAction(tx, {
    actorId: caller.userId,
    action: `complaint.${outcome}`,
    targetType: 'complaint',
    targetId: id,
    details: { decision_id: decision.id, act: decision.act, same_moderator: sameModerator },
    reason: { text: reason, about: complaint.user_id },
  });
  await emit(tx, {
    type: 'complaint.decided',
    petitionId: null,
    actor: { type: 'admin', id: caller.userId },
    data: { complaint_id: id },
  });
  return reversal;
}

/** Returns whether the caller made the decision. */
function requireMayDecide(
  now: Date,
  caller: Caller,
  complaint: ComplaintRow,
  decision: Decision,
): boolean {
  if (complaint.status !== 'open') {
    throw conflict('complaint_decided', 'A moderator has decided about this complaint already.');
  }
  if ([decision.user_id, complaint.user_id].includes(caller.userId)) {
    throw forbidden('Nobody may decide about their own complaint.', 'another_moderator');
  }
  const isSame = decision.moderator_id === caller.userId;
  const waitedMs = now.getTime() - complaint.created_at.getTime();
  if (isSame && waitedMs < waitingHours * 3_600_000) {
    throw forbidden(
      `Another moderator decides about this, or you after ${waitingHours} hours.`,
      'another_moderator',
    );
  }
  return isSame;
}

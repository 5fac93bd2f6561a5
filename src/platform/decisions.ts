import type { Tx } from './db.ts';
import { emit } from './events.ts';
import { newId } from './ids.ts';

declare module './events.ts' {
  /** The data has decision_id, or complaint_id. */
  interface EventTypes extends Record<'moderation.decided' | 'complaint.decided', true> {}
}

/** What moderators do to content, accounts and signatures, of which those whom it concerns are told. */
export const decisionActs = [
  'remove_petition',
  'hide_petition',
  'reject_petition',
  'close_petition',
  'redact_petition',
  'hide_comment',
  'unhide_comment',
  'delete_comment',
  'empty_reason',
  'delete_update',
  'suspend_user',
  'unsuspend_user',
  'invalidate_signature',
  'reject_signature',
  'remove_signature',
  // Of these, only reporters are told: warnings and approvals have notifications of their own.
  'warn_user',
  'dismiss_report',
] as const;
export type DecisionAct = (typeof decisionActs)[number];

const toldToReportersOnly: ReadonlySet<DecisionAct> = new Set(['warn_user', 'dismiss_report']);

export interface NewDecision {
  act: DecisionAct;
  target: { type: string; id: string };
  petitionId: string | null;
  /** Whom it concerns; null if that account was erased. */
  userId: string | null;
  /** Null if that account was erased. */
  moderatorId: string | null;
  /** What the person is told, in the moderator's words. */
  reason?: string | undefined;
  /** The reason of the report that led to it. */
  rule?: string | undefined;
  /** The reports that it resolved. Their reporters are told. */
  reportIds?: readonly string[];
}

/**
 * Records a moderator's decision in the transaction that carries it out. Whom it concerns and the reporters are notified.
 * Lies beside the audit log, since slices of several tiers moderate. Returns its id.
 */
export async function recordDecision(tx: Tx, decision: NewDecision): Promise<string> {
  const id = newId();
  const { act, target, petitionId, moderatorId, reason, rule, reportIds = [] } = decision;
  const userId = toldToReportersOnly.has(act) ? null : decision.userId;
  await tx`
    insert into moderation_decisions (id, act, target_type, target_id, petition_id, user_id,
      reason, rule, report_ids, moderator_id)
    values (${id}, ${act}, ${target.type}, ${target.id}, ${petitionId}, ${userId},
      ${reason ?? null}, ${rule ?? null}, ${[...reportIds]}::uuid[], ${moderatorId})`;
  await emit(tx, {
    type: 'moderation.decided',
    petitionId: null,
    actor: { type: 'admin', id: moderatorId },
    data: { decision_id: id },
  });
  return id;
}

/** Removes a user from the decisions about them, with the reasons, and as a moderator. */
export async function eraseFromDecisions(tx: Tx, userId: string): Promise<void> {
  await tx`
    update moderation_decisions set user_id = null, reason = null where user_id = ${userId}`;
  await tx`update moderation_decisions set moderator_id = null where moderator_id = ${userId}`;
}

import { changeHidden } from '../../campaigns/comments/comments.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import { lockPetition } from '../../campaigns/petitions/state.ts';
import { restorePetition, transitionPetition } from '../../campaigns/petitions/transition.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import type { Actor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { conflict } from '../../platform/problems.ts';
import { restoreSignature } from '../integrity/integrity.ts';
import { reopenReports } from '../reports/reports.ts';
import { restoreInTransaction } from '../users/users.ts';
import type { Decision } from './queries.ts';

/** What a reversal changed, for what follows the commit. */
export interface Reversal {
  petitionIds?: string[];
  /** Whether the suspension of a user ended. */
  restoredUser?: boolean;
}

interface ReversalOptions {
  decision: Decision;
  caller: Caller;
  sessions: Sessions;
}

/**
 * Undoes a moderator's act. Does nothing where it was undone already.
 * @throws {Problem} conflict if it cannot be undone
 */
export async function reverse(
  tx: Tx,
  { decision, caller, sessions }: ReversalOptions,
): Promise<Reversal> {
  const { act, target_id: targetId, petition_id: petitionId } = decision;
  const actor: Actor = { type: 'admin', id: caller.userId };
  switch (act) {
    case 'hide_comment': {
      const changed = await changeHidden(tx, { id: targetId, petition_id: petitionId! }, false);
      if (changed === undefined)
        throw conflict('target_gone', 'The comment was deleted meanwhile.');
      return { petitionIds: [petitionId!] };
    }
    case 'hide_petition':
    case 'reject_petition':
    case 'close_petition':
      await publishAgain(tx, targetId, actor);
      return { petitionIds: [targetId] };
    case 'remove_petition':
      if (!(await restorePetition(tx, targetId, actor))) {
        throw notReversible('The petition cannot be restored: its signers were forgotten.');
      }
      return { petitionIds: [targetId] };
    case 'suspend_user':
      return {
        petitionIds: await restoreInTransaction(tx, sessions, caller, targetId),
        restoredUser: true,
      };
    case 'invalidate_signature': {
      const signature = { id: targetId, petitionId: petitionId! };
      if (!(await restoreSignature(tx, signature, actor))) {
        throw conflict('target_gone', 'No rule invalidates this signature any more.');
      }
      return { petitionIds: [petitionId!] };
    }
    case 'dismiss_report':
    case 'warn_user':
      await reopenReports(tx, decision.report_ids);
      return {};
    default:
      throw notReversible(
        'What was done here cannot be undone. Say so in the reason, and uphold it.',
      );
  }
}

const statusesBefore = { under_review: 'approve', draft: 'publish', closed: 'reopen' } as const;

/** Publishes a petition that was put under review, rejected or closed, unless it is active again. */
async function publishAgain(tx: Tx, id: string, actor: Actor): Promise<void> {
  const petition = await lockPetition(tx, id);
  if (!petition) throw conflict('target_gone', 'The petition was deleted meanwhile.');
  if (petition.status === 'active') return;
  if (petition.status === 'victory') throw notReversible('The petition has won meanwhile.');
  await transitionPetition(tx, { petition, name: statusesBefore[petition.status], actor });
}

const notReversible = (message: string) => conflict('not_reversible', message);

/** Call it after the commit of `reverse`. */
export async function applyAfterCommit(
  ctx: Context,
  sessions: Sessions,
  { petitionIds = [], restoredUser = false }: Reversal,
): Promise<void> {
  evictPetitions(ctx, petitionIds);
  if (restoredUser) await ctx.afterCommit(() => sessions.revocations.refresh());
}

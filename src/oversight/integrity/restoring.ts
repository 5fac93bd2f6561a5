import {
  changeValidity,
  restoreMilestones,
  voidMilestones,
} from '../../campaigns/signatures/signatures.ts';
import type { Tx } from '../../platform/db.ts';
import { emit, type Actor } from '../../platform/events.ts';
import * as queries from './queries.ts';

/**
 * Counts one signature again that a rule has invalidated, after a complaint of its signer. The rule stays. Returns false if
 * no rule has invalidated it, or it was withdrawn.
 */
export async function restoreSignature(
  tx: Tx,
  { id, petitionId }: { id: string; petitionId: string },
  actor: Actor,
): Promise<boolean> {
  // Locks the petition, which must be locked before the rule.
  await restoreMilestones(tx, petitionId);
  const rule = await queries.findRuleOf(tx, petitionId, id);
  if (!rule) return false;
  const { moved, signatureCount, cells, signatures } = await changeValidity(tx, {
    petitionId,
    ids: [id],
    from: rule.number,
    to: null,
  });
  if (moved === 0) return false;
  await voidMilestones(tx, petitionId);
  await emit(tx, {
    type: 'signature.restored',
    petitionId,
    actor,
    data: { rule_id: rule.id, count: moved, signature_count: signatureCount, ended: true },
    parts: cells,
    items: signatures,
  });
  await queries.addRestored(tx, rule.id, moved);
  return true;
}

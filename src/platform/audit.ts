import type { Tx } from './db.ts';
import { newId } from './ids.ts';

export interface AdminAct {
  actorId: string;
  /** Verb and object: category.create */
  action: string;
  targetType: string;
  targetId: string | null;
  /** What is undefined is left out. */
  details?: Record<string, string | number | boolean | null | undefined>;
}

/** Writes down what a moderator or administrator did, in the transaction that does it. */
export async function recordAct(tx: Tx, act: AdminAct): Promise<void> {
  await tx`
    insert into audit_log (id, actor_id, action, target_type, target_id, details)
    values (${newId()}, ${act.actorId}, ${act.action}, ${act.targetType}, ${act.targetId},
      ${tx.json(act.details ?? {})})`;
}

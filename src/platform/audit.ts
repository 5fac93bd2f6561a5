import type { Tx } from './db.ts';
import { newId } from './ids.ts';

export interface AdminAction {
  actorId: string;
  /** Verb and object: category.create */
  action: string;
  targetType: string;
  targetId: string | null;
  /** Ids and numbers, nothing that names a person. Undefined values are left out. */
  details?: Record<string, string | number | boolean | null | undefined>;
  /** The actor's own words. Erased with the account of the user that they are about. */
  reason?: { text: string; about: string | null } | undefined;
}

/** Records an action of a moderator or administrator in the transaction that does it. Returns its id. */
export async function recordAdminAction(tx: Tx, act: AdminAction): Promise<string> {
  const id = newId();
  await tx`
    insert into audit_log (id, actor_id, action, target_type, target_id, details)
    values (${id}, ${act.actorId}, ${act.action}, ${act.targetType}, ${act.targetId},
      ${tx.json(act.details ?? {})})`;
  if (act.reason) {
    await tx`
      insert into audit_reasons (act_id, user_id, reason)
      values (${id}, ${act.reason.about}, ${act.reason.text})`;
  }
  return id;
}

/** Whether the action was ever done to the target. */
export const wasDone = (tx: Tx, targetId: string, action: string): Promise<boolean> =>
  tx.exists`select from audit_log where target_id = ${targetId} and action = ${action}`;

/** Returns the reasons of these actions by id, without those deleted since. */
export async function readReasons(tx: Tx, actIds: string[]): Promise<Map<string, string>> {
  if (actIds.length === 0) return new Map();
  const rows = await tx<{ act_id: string; reason: string }[]>`
    select act_id, reason from audit_reasons where act_id = any(${actIds}::uuid[])`;
  return new Map(rows.map(({ act_id, reason }) => [act_id, reason]));
}

/** Deletes the reasons written about a user. The actions stay in the log. */
export async function deleteReasonsAbout(tx: Tx, userId: string): Promise<void> {
  await tx`delete from audit_reasons where user_id = ${userId}`;
}

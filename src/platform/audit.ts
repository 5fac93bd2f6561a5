import type { Tx } from './db.ts';
import { newId } from './ids.ts';

export interface AdminAct {
  actorId: string;
  /** Verb and object: category.create */
  action: string;
  targetType: string;
  targetId: string | null;
  /** Ids and numbers; nothing that names a person. What is undefined is left out. */
  details?: Record<string, string | number | boolean | null | undefined>;
  /** Why, in the actor's own words. Erased with the account of the user whom they are about. */
  reason?: { text: string; about: string | null } | undefined;
}

/** Writes down what a moderator or administrator did, in the transaction that does it. Gives the act's id. */
export async function recordAct(tx: Tx, act: AdminAct): Promise<string> {
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

/** Why these acts were done, by their ids; of what was forgotten since, nothing. */
export async function reasonsOf(tx: Tx, actIds: string[]): Promise<Map<string, string>> {
  if (actIds.length === 0) return new Map();
  const rows = await tx<{ act_id: string; reason: string }[]>`
    select act_id, reason from audit_reasons where act_id = any(${actIds}::uuid[])`;
  return new Map(rows.map(({ act_id, reason }) => [act_id, reason]));
}

/** Forgets the words that were written about a user; that something was done stays known. */
export async function forgetReasonsAbout(tx: Tx, userId: string): Promise<void> {
  await tx`delete from audit_reasons where user_id = ${userId}`;
}

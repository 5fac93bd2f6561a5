import type { Db, Tx } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { ResolvedRule } from './rules.ts';
import type { invalidationStates } from './schema.ts';

export interface InvalidationRow extends ResolvedRule {
  id: string;
  number: number;
  petition_id: string;
  /** Null after the account that it is about was erased. */
  reason: string | null;
  /** The petition's creator when the rule was created. */
  about: string | null;
  state: (typeof invalidationStates)[number];
  matched: number;
  invalidated: number;
  restored: number;
  looked_at: string | null;
  /** The last signature whose signer was notified. */
  told: string | null;
  created_by: string | null;
  undone_by: string | null;
  created_at: Date;
  applied_at: Date | null;
  undone_at: Date | null;
}

export type NewInvalidation = Pick<
  InvalidationRow,
  | 'id'
  | 'petition_id'
  | 'network'
  | 'country'
  | 'domain'
  | 'disposable'
  | 'domains'
  | 'signed_from'
  | 'signed_until'
  | 'reason'
  | 'about'
  | 'matched'
  | 'created_by'
>;

/** The unique index that allows one rule per petition to be applied or undone at a time. */
export const oneRuleAtATimeIndex = 'invalidations_one_at_a_time';

export async function insertInvalidation(tx: Tx, row: NewInvalidation): Promise<InvalidationRow> {
  return tx.one<InvalidationRow>`
    insert into invalidations ${tx(row)} returning *`;
}

export async function findInvalidation(db: Db, id: string): Promise<InvalidationRow | undefined> {
  return db.first<InvalidationRow>`select * from invalidations where id = ${id}`;
}

export async function listInvalidations(
  db: Db,
  petitionId: string,
  beforeId: string | null,
  limit: number,
): Promise<InvalidationRow[]> {
  return db<InvalidationRow[]>`
    select * from invalidations
    where petition_id = ${petitionId} ${beforeId ? db`and id < ${beforeId}` : db``}
    order by id desc
    limit ${limit}`;
}

/** Returns the applied rules of a petition, oldest first. */
export async function findAppliedRules(db: Db, petitionId: string): Promise<InvalidationRow[]> {
  return db<InvalidationRow[]>`
    select * from invalidations where petition_id = ${petitionId} and state = 'applied'
    order by number`;
}

/** Starts to undo a rule that is applied or being applied. Returns undefined if it was undone before. */
export async function startUndoing(
  tx: Tx,
  id: string,
  undoneBy: string,
): Promise<InvalidationRow | undefined> {
  return tx.first<InvalidationRow>`
    update invalidations set state = 'undoing', looked_at = null, undone_by = ${undoneBy}
    where id = ${id} and state in ('applying', 'applied')
    returning *`;
}

interface Progress {
  lookedAt: string | null;
  moved: number;
  ended: boolean;
}

/** Stores the progress of a rule that is being applied. Returns false if its state has changed. */
export async function saveApplyProgress(db: Db, id: string, progress: Progress): Promise<boolean> {
  const { lookedAt, moved, ended } = progress;
  return db.changed`
    update invalidations set looked_at = coalesce(${lookedAt}, looked_at),
      invalidated = invalidated + ${moved},
      state = case when ${ended} then 'applied' else state end,
      applied_at = case when ${ended} then now() end
    where id = ${id} and state = 'applying'`;
}

/** Stores the progress of a rule that is being undone. Returns false if its state has changed. */
export async function saveUndoProgress(tx: Tx, id: string, progress: Progress): Promise<boolean> {
  const { lookedAt, moved, ended } = progress;
  return tx.changed`
    update invalidations set looked_at = coalesce(${lookedAt}, looked_at),
      restored = restored + ${moved},
      state = case when ${ended} then 'undone' else state end,
      undone_at = case when ${ended} then now() end
    where id = ${id} and state = 'undoing'`;
}

/** Adds signatures that a rule has taken over from another one to its count. */
export async function addInherited(tx: Tx, number: number, inherited: number): Promise<void> {
  await tx`
    update invalidations set invalidated = invalidated + ${inherited} where number = ${number}`;
}

/** Returns the rule that has invalidated a signature. */
export async function findRuleOf(
  tx: Tx,
  petitionId: string,
  signatureId: string,
): Promise<Pick<InvalidationRow, 'id' | 'number'> | undefined> {
  return tx.first<Pick<InvalidationRow, 'id' | 'number'>>`
    select i.id, i.number from signatures s join invalidations i on i.number = s.invalidated_by
    where s.petition_id = ${petitionId} and s.id = ${signatureId}`;
}

/** Adds signatures that were restored one by one to the count of their rule. */
export async function addRestored(tx: Tx, id: string, restored: number): Promise<void> {
  await tx`update invalidations set restored = restored + ${restored} where id = ${id}`;
}

export interface SignerToNotify {
  signature_id: string;
  user_id: string;
  email: string;
  language: Language;
  title: string;
  title_language: string | null;
  /** Whether the address is verified and the account not suspended. */
  is_mailable: boolean;
}

/** Returns the next signers to notify: those who have an account. */
export async function findSignersToNotify(
  db: Db,
  { petition_id, number, told }: InvalidationRow,
  limit: number,
): Promise<SignerToNotify[]> {
  return db<SignerToNotify[]>`
    select s.id as signature_id, s.user_id, u.email, u.language, p.title,
      p.language as title_language,
      u.email_verified_at is not null and u.suspended_at is null as is_mailable
    from signatures s
    join users u on u.id = s.user_id
    join petitions p on p.id = s.petition_id
    where s.petition_id = ${petition_id} and s.invalidated_by = ${number}
      ${told ? db`and s.id > ${told}` : db``}
    order by s.id
    limit ${limit}`;
}

export async function markNotified(tx: Tx, id: string, signatureId: string): Promise<void> {
  await tx`update invalidations set told = ${signatureId} where id = ${id}`;
}

/** Returns the rules that a moderator has created or undone, for their data export. */
export async function findInvalidationsOfModerator(
  db: Db,
  userId: string,
): Promise<readonly object[]> {
  return db`
    select id, petition_id, reason, created_by = ${userId} as created,
      undone_by is not distinct from ${userId} as undone, created_at, undone_at
    from invalidations where created_by = ${userId} or undone_by = ${userId}
    order by id`;
}

/** Removes a user from the rules that they created or undid, and erases reasons about them. */
export async function clearUser(db: Db, userId: string): Promise<void> {
  await db`
    update invalidations set created_by = nullif(created_by, ${userId}),
      undone_by = nullif(undone_by, ${userId})
    where created_by = ${userId} or undone_by = ${userId}`;
  await db`update invalidations set reason = null, about = null where about = ${userId}`;
}

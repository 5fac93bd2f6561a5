import type { Db, Tx } from '../../platform/db.ts';
import type { Conditions } from './rule-queries.ts';
import type { invalidationStates } from './schema.ts';

export interface InvalidationRow extends Conditions {
  id: string;
  number: number;
  petition_id: string;
  domain: string | null;
  disposable: boolean;
  /** Null once the account was erased that it is about. */
  reason: string | null;
  /** The petition's creator when it was made. */
  about: string | null;
  state: (typeof invalidationStates)[number];
  matched: number;
  invalidated: number;
  restored: number;
  looked_at: string | null;
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

/** The constraint that lets one rule of a petition be applied or undone at a time. */
export const oneAtATime = 'invalidations_one_at_a_time';

export async function insertInvalidation(tx: Tx, row: NewInvalidation): Promise<InvalidationRow> {
  const [inserted] = await tx<InvalidationRow[]>`
    insert into invalidations ${tx(row)} returning *`;
  return inserted!;
}

export async function findInvalidation(db: Db, id: string): Promise<InvalidationRow | undefined> {
  const [row] = await db<InvalidationRow[]>`select * from invalidations where id = ${id}`;
  return row;
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

/** The rules of a petition that stand, in the order in which they were made. */
export async function appliedTo(db: Db, petitionId: string): Promise<InvalidationRow[]> {
  return db<InvalidationRow[]>`
    select * from invalidations where petition_id = ${petitionId} and state = 'applied'
    order by number`;
}

/** Begins to undo a rule, wherever its applying is. Undefined where that was begun before. */
export async function beginUndoing(
  tx: Tx,
  id: string,
  undoneBy: string,
): Promise<InvalidationRow | undefined> {
  const [row] = await tx<InvalidationRow[]>`
    update invalidations set state = 'undoing', looked_at = null, undone_by = ${undoneBy}
    where id = ${id} and state in ('applying', 'applied')
    returning *`;
  return row;
}

interface Progress {
  lookedAt: string | null;
  moved: number;
  ended: boolean;
}

/** Notes what a batch has done. False where the rule is no longer in the state that it began in. */
export async function noteApplied(db: Db, id: string, progress: Progress): Promise<boolean> {
  const { lookedAt, moved, ended } = progress;
  const result = await db`
    update invalidations set looked_at = coalesce(${lookedAt}, looked_at),
      invalidated = invalidated + ${moved},
      state = case when ${ended} then 'applied' else state end,
      applied_at = case when ${ended} then now() end
    where id = ${id} and state = 'applying'`;
  return result.count === 1;
}

/** The same of a rule that is undone. */
export async function noteUndone(tx: Tx, id: string, progress: Progress): Promise<boolean> {
  const { lookedAt, moved, ended } = progress;
  const result = await tx`
    update invalidations set looked_at = coalesce(${lookedAt}, looked_at),
      restored = restored + ${moved},
      state = case when ${ended} then 'undone' else state end,
      undone_at = case when ${ended} then now() end
    where id = ${id} and state = 'undoing'`;
  return result.count === 1;
}

/** Counts signatures that a rule has taken over from another. */
export async function noteInherited(tx: Tx, number: number, inherited: number): Promise<void> {
  await tx`
    update invalidations set invalidated = invalidated + ${inherited} where number = ${number}`;
}

export interface SignerToNotify {
  signature_id: string;
  email: string;
  title: string;
}

/** The next signers of signatures that a rule has invalidated, as far as mail reaches them. */
export async function signersToNotify(
  db: Db,
  { petition_id, number, told }: InvalidationRow,
  limit: number,
): Promise<SignerToNotify[]> {
  return db<SignerToNotify[]>`
    select s.id as signature_id, u.email, p.title
    from signatures s
    join users u on u.id = s.user_id
    join petitions p on p.id = s.petition_id
    where s.petition_id = ${petition_id} and s.invalidated_by = ${number}
      and u.email_verified_at is not null and u.suspended_at is null
      ${told ? db`and s.id > ${told}` : db``}
    order by s.id
    limit ${limit}`;
}

export async function markNotified(db: Db, id: string, signatureId: string): Promise<void> {
  await db`update invalidations set told = ${signatureId} where id = ${id}`;
}

/** What a moderator has invalidated or restored, for the export of their own data. */
export async function invalidationsOf(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select id, petition_id, reason, created_by = ${userId} as created,
      undone_by is not distinct from ${userId} as undone, created_at, undone_at
    from invalidations where created_by = ${userId} or undone_by = ${userId}
    order by id`;
}

/** Forgets whose rules they were, and the words that were written about a user. */
export async function forgetUser(db: Db, userId: string): Promise<void> {
  await db`
    update invalidations set created_by = nullif(created_by, ${userId}),
      undone_by = nullif(undone_by, ${userId})
    where created_by = ${userId} or undone_by = ${userId}`;
  await db`update invalidations set reason = null, about = null where about = ${userId}`;
}

import type { Db, Tx } from '../../platform/db.ts';
import type { PetitionRow } from './queries.ts';

export { logIdsBackfill } from './log-ids.ts';

/** The columns that decide who may see a petition and change its comments, signatures and updates. */
export type PetitionState = Pick<
  PetitionRow,
  | 'id'
  | 'creator_id'
  | 'status'
  | 'visibility'
  | 'access_code_version'
  | 'deleted_at'
  | 'signature_privacy'
>;

const stateOf = (db: Db, id: string) => db`
  select id, creator_id, status, visibility, access_code_version, deleted_at, signature_privacy
  from petitions where id = ${id}`;

export async function findPetitionState(db: Db, id: string): Promise<PetitionState | undefined> {
  return db.first<PetitionState>`${stateOf(db, id)}`;
}

/**
 * Returns the petition and prevents its erasure until the transaction ends. Call it before locking rows that
 * belong to the petition, as its erasure does. Signing does not wait for this lock.
 */
export async function lockPetitionKeyShare(tx: Tx, id: string): Promise<PetitionState | undefined> {
  return tx.first<PetitionState>`${stateOf(tx, id)} for key share`;
}

/** Returns the petition and keeps its status until the transaction ends. Signing waits for this lock. */
export async function lockPetitionShare(tx: Tx, id: string): Promise<PetitionState | undefined> {
  return tx.first<PetitionState>`${stateOf(tx, id)} for share`;
}

/** Returns the petition's status and locks its row until the transaction ends. */
export async function lockPetition(
  tx: Tx,
  id: string,
): Promise<Pick<PetitionRow, 'id' | 'status'> | undefined> {
  return tx.first<Pick<PetitionRow, 'id' | 'status'>>`
    select id, status from petitions where id = ${id} and deleted_at is null for no key update`;
}

/** Locks the petitions of an organization, in the order in which signing does. */
export async function lockPetitionsOfOrganization(tx: Tx, orgId: string): Promise<void> {
  await tx`select from petitions where org_id = ${orgId} order by id for no key update`;
}

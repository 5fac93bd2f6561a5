import type { Db, Tx } from '../../platform/db.ts';
import { findOrganizerRoles, organizerRolesOf, type PetitionRow } from './queries.ts';

export {
  changeCreator,
  forgetRedactionReasons,
  lockPetitionsOfCreator,
} from './creator-queries.ts';
export { logIdsBackfill } from './log-ids.ts';

/** The columns that decide who may see a petition and change its comments, signatures and updates. */
export type PetitionState = Pick<
  PetitionRow,
  | 'id'
  | 'creator_id'
  | 'organizer_roles'
  | 'status'
  | 'visibility'
  | 'access_code_version'
  | 'deleted_at'
  | 'signature_privacy'
>;

const stateOf = (db: Db, id: string) => db`
  select id, creator_id, ${organizerRolesOf(db)}, status, visibility, access_code_version, deleted_at,
    signature_privacy
  from petitions p where id = ${id}`;

export async function findPetitionState(db: Db, id: string): Promise<PetitionState | undefined> {
  return db.first<PetitionState>`${stateOf(db, id)}`;
}

/**
 * Returns the petition and prevents its erasure until the transaction ends. Call it before locking rows that
 * belong to the petition, as its erasure does. Signing does not wait for this lock.
 */
export async function lockPetitionKeyShare(tx: Tx, id: string): Promise<PetitionState | undefined> {
  return tx.first<PetitionState>`${stateOf(tx, id)} for key share of p`;
}

/** Returns the petition and keeps its status until the transaction ends. Signing waits for this lock. */
export async function lockPetitionShare(tx: Tx, id: string): Promise<PetitionState | undefined> {
  return tx.first<PetitionState>`${stateOf(tx, id)} for share of p`;
}

type StateWithoutRoles = Omit<PetitionState, 'organizer_roles'>;
type LockedPetition = StateWithoutRoles & Pick<PetitionRow, 'org_id'>;

/** Returns whose the petition is and its status, and locks its row until the transaction ends. */
export async function lockPetition(tx: Tx, id: string): Promise<LockedPetition | undefined> {
  return tx.first<LockedPetition>`
    select id, creator_id, status, visibility, access_code_version, deleted_at, signature_privacy, org_id
    from petitions where id = ${id} and deleted_at is null for no key update`;
}

/**
 * Adds to a locked petition what the caller may do as an organizer. It is a statement of its own, for others than the
 * creator: the one that waited for the lock sees the organizers of before.
 */
export async function withRoles<T extends StateWithoutRoles>(
  tx: Tx,
  locked: T | undefined,
  { userId }: { userId: string },
): Promise<(T & Pick<PetitionState, 'organizer_roles'>) | undefined> {
  if (!locked) return undefined;
  const isNeeded = locked.creator_id !== userId;
  const organizer_roles = isNeeded ? await findOrganizerRoles(tx, locked.id) : {};
  return { ...locked, organizer_roles };
}

/** Locks the petitions of an organization, in the order in which signing does. */
export async function lockPetitionsOfOrganization(tx: Tx, orgId: string): Promise<void> {
  await tx`select from petitions where org_id = ${orgId} order by id for no key update`;
}

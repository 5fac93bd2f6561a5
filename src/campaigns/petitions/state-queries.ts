import type { Db, Tx } from '../../platform/db.ts';
import type { PetitionRow } from './queries.ts';

/** What decides who may see a petition, and what may be done with what belongs to it. */
export type PetitionState = Pick<
  PetitionRow,
  'id' | 'creator_id' | 'status' | 'visibility' | 'deleted_at' | 'signature_privacy'
>;

const stateOf = (db: Db, id: string) => db`
  select id, creator_id, status, visibility, deleted_at, signature_privacy
  from petitions where id = ${id}`;

export async function findPetitionState(db: Db, id: string): Promise<PetitionState | undefined> {
  const [row] = await db<PetitionState[]>`${stateOf(db, id)}`;
  return row;
}

/**
 * The petition, kept from being removed until the transaction ends. Locked before what belongs to it, as its
 * removal does; signing does not wait for this lock.
 */
export async function keepPetition(tx: Tx, id: string): Promise<PetitionState | undefined> {
  const [row] = await tx<PetitionState[]>`${stateOf(tx, id)} for key share`;
  return row;
}

/** The petition, in the state that it keeps until the transaction ends; signing waits meanwhile. */
export async function holdPetition(tx: Tx, id: string): Promise<PetitionState | undefined> {
  const [row] = await tx<PetitionState[]>`${stateOf(tx, id)} for share`;
  return row;
}

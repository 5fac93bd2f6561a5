import type { Tx } from '../../platform/db.ts';
import { emit, type Actor } from '../../platform/events.ts';
import { conflict } from '../../platform/problems.ts';
import { transitionFrom, type TransitionName } from './lifecycle.ts';
import * as queries from './moving-queries.ts';
import type { PetitionRow } from './queries.ts';

interface Move {
  petition: Pick<PetitionRow, 'id' | 'status'>;
  name: TransitionName;
  actor: Actor;
  victoryMessage?: string | undefined;
  /** The moderator's act, for those who are told why: the words stand beside the audit log alone. */
  actId?: string | undefined;
}

/**
 * Takes a petition through one transition and tells of it. Once that is committed, what is remembered of
 * the petition must be forgotten: `forgetPetitions`.
 * @throws {Problem} conflict where it is in another state, or was moved meanwhile
 */
export async function movePetition(tx: Tx, { petition, name, actor, victoryMessage, actId }: Move) {
  const { from, to, event } = transitionFrom(petition.status, name);
  const moved = await queries.moveStatus(tx, petition.id, from, to, victoryMessage ?? null);
  if (!moved) throw conflict('invalid_state', 'The petition changed its state meanwhile.');
  const told = { petitionId: petition.id, actor };
  await emit(tx, { type: event, ...told, ...(actId !== undefined && { data: { act_id: actId } }) });
  // Of a petition that is reviewed first, it is the approval that publishes it.
  if (to === 'active' && event !== 'petition.published' && !moved.wasPublished) {
    await emit(tx, { type: 'petition.published', ...told });
  }
}

/**
 * Puts every active petition of a suspended creator under review, and remembers that this is why. Gives
 * the ids of those that were.
 */
export async function reviewPetitionsOf(
  tx: Tx,
  creatorId: string,
  actor: Actor,
): Promise<string[]> {
  const ids = await queries.hideWithCreator(tx, creatorId);
  for (const petitionId of ids) {
    await emit(tx, { type: 'petition.under_review', petitionId, actor });
  }
  return ids;
}

/** Undoes `reviewPetitionsOf`, where nobody has judged them since. Gives the ids likewise. */
export async function restorePetitionsOf(
  tx: Tx,
  creatorId: string,
  actor: Actor,
): Promise<string[]> {
  const ids = await queries.showWithCreator(tx, creatorId);
  for (const petitionId of ids) {
    await emit(tx, { type: 'petition.approved', petitionId, actor });
  }
  return ids;
}

import type { Tx } from '../../platform/db.ts';
import { emit, type Actor } from '../../platform/events.ts';
import { conflict } from '../../platform/problems.ts';
import { isSlugOf, slugCandidates, slugify } from '../../platform/slug.ts';
import { transitionFrom, type TransitionName } from './lifecycle.ts';
import * as queries from './transition-queries.ts';
import { changeSlug, findTitleAndSlug, type PetitionRow } from './queries.ts';

export { approveTextChange, keepUnderReview } from './transition-queries.ts';

interface Move {
  petition: Pick<PetitionRow, 'id' | 'status'>;
  name: TransitionName;
  actor: Actor;
  victoryMessage?: string | undefined;
  /** Id of the moderator's action. Notifications read the reason by it. */
  actId?: string | undefined;
}

/**
 * Applies one transition to a petition and emits its event. Call `invalidatePetitions` after the commit.
 * @throws {Problem} conflict if the petition is in another status, or its status changed concurrently
 */
export async function transitionPetition(
  tx: Tx,
  { petition, name, actor, victoryMessage, actId }: Move,
) {
  const { from, to, event } = transitionFrom(petition.status, name);
  const moved = await queries.updateStatus(tx, petition.id, from, to, victoryMessage ?? null);
  if (!moved) throw conflict('invalid_state', 'The petition changed its state meanwhile.');
  if (to === 'active' && !moved.wasPublished) await followTitle(tx, petition.id);
  const source = { petitionId: petition.id, actor };
  const data = actId === undefined ? {} : { data: { act_id: actId } };
  await emit(tx, { type: event, ...source, ...data });
  // The first approval publishes a petition that is reviewed before publishing.
  if (to === 'active' && event !== 'petition.published' && !moved.wasPublished) {
    await emit(tx, { type: 'petition.published', ...source });
  }
}

/** Gives a petition the slug of its title at its first publication, where the title changed while it was a draft. */
async function followTitle(tx: Tx, id: string): Promise<void> {
  const { title, slug } = await findTitleAndSlug(tx, id);
  const wanted = slugify(title, 'petition');
  if (isSlugOf(wanted, slug)) return;
  for (const candidate of slugCandidates(wanted)) {
    if (await changeSlug(tx, id, { from: slug, to: candidate })) return;
  }
}

/** Puts all active petitions of a suspended creator under review. Returns their ids. */
export async function putPetitionsUnderReview(
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

/** Undoes `reviewPetitionsOf`, except for petitions that were moderated since. Returns the ids. */
export async function restorePetitionsOfCreator(
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

/** Takes back the removal of a petition. Returns false if that is not possible any more. */
export async function restorePetition(tx: Tx, petitionId: string, actor: Actor): Promise<boolean> {
  if (!(await queries.undelete(tx, petitionId))) return false;
  await emit(tx, { type: 'petition.approved', petitionId, actor });
  return true;
}

/** Hides a petition from everybody, until `restorePetition`. Its row is retained. */
export async function removePetition(tx: Tx, petitionId: string, actor: Actor): Promise<void> {
  await emit(tx, { type: 'petition.deleted', petitionId, actor });
  await queries.softDelete(tx, petitionId);
}

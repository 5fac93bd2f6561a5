import type { Tx } from '../../platform/db.ts';
import { cancelDeliveriesOfPetition } from '../decision-makers/decision-makers.ts';
import { changeCreator } from '../petitions/state.ts';
import { keepAuthor } from '../updates/updates.ts';
import { deleteInvitations, deleteOrganizer, type Successor } from './queries.ts';

/**
 * Makes an organizer of a locked petition its creator. What the former one began does not go on in the name of the new one:
 * invitations that were not accepted end, and deliveries whose mail is not out. Returns false if they organize it no longer.
 */
export async function givePetition(
  tx: Tx,
  from: string,
  { id, petition_id: petitionId, user_id: to }: Successor,
): Promise<boolean> {
  if (!(await deleteOrganizer(tx, { petitionId, id }))) return false;
  await keepAuthor(tx, petitionId, from);
  await cancelDeliveriesOfPetition(tx, petitionId);
  await deleteInvitations(tx, petitionId);
  return changeCreator(tx, petitionId, { from, to });
}

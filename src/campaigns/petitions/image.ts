import { emit, systemActor } from '../../platform/events.ts';
import type { PictureOwner } from '../../platform/images.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { forbidden, invalidValue } from '../../platform/problems.ts';
import { canSeePetition, canEdit } from './policy.ts';
import * as queries from './queries.ts';
import { lockPetition } from './state.ts';
import { evictPetitions } from './cache.ts';

/** Lets those who may edit a petition set an uploaded image on it. */
export const petitionImage: PictureOwner = {
  async recordFor(ctx, caller, entityId) {
    if (entityId === undefined) return undefined;
    const petition = await queries.findPetition(ctx.db, entityId);
    if (!petition || !canSeePetition(petition, caller)) {
      throw invalidValue('entity_id', 'There is no such petition, or none that you may see.');
    }
    if (!canEdit(petition, caller)) {
      throw forbidden('Only the creator and the editors of the petition may give it a picture.');
    }
    return petition.id;
  },
  async setImage(tx, petitionId, { url, alt, userId }) {
    // What was read before the lock could be of before the petition was handed over.
    if (!(await lockPetition(tx, petitionId))) return;
    const petition = await queries.findPetition(tx, petitionId);
    if (!petition) return;
    if (userId !== null && !canEdit(petition, { userId })) return;
    const { version } = petition;
    await emit(tx, {
      type: 'petition.updated',
      petitionId,
      actor: userId === null ? systemActor : { type: 'user', id: userId },
      data: { version, fields: 'imageUrl' },
    });
    await pictureChanged(tx, { from: petition.image_url, to: url });
    await queries.setImage(tx, petitionId, { url, alt });
  },
  onChanged: (ctx, petitionId) => evictPetitions(ctx, [petitionId]),
  filterShown: queries.findShownImages,
  listUrls: queries.listImages,
};

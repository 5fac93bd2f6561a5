import { emit, systemActor } from '../../platform/events.ts';
import type { PictureOwner } from '../../platform/images.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { forbidden, invalidValue } from '../../platform/problems.ts';
import { canSeePetition, isCreator } from './policy.ts';
import * as queries from './queries.ts';
import { evictPetitions } from './cache.ts';

/** Lets creators set an uploaded image on their petitions. */
export const petitionImage: PictureOwner = {
  async recordFor(ctx, caller, entityId) {
    if (entityId === undefined) return undefined;
    const petition = await queries.findPetition(ctx.db, entityId);
    if (!petition || !canSeePetition(petition, caller)) {
      throw invalidValue('entity_id', 'There is no such petition, or none that you may see.');
    }
    if (!isCreator(petition, caller)) {
      throw forbidden('Only the creator of the petition may give it a picture.');
    }
    return petition.id;
  },
  async setImage(tx, petitionId, url, alt) {
    const petition = await queries.findPetition(tx, petitionId);
    if (!petition || petition.deleted_at) return;
    const { creator_id: id, version } = petition;
    await emit(tx, {
      type: 'petition.updated',
      petitionId,
      actor: id ? { type: 'user', id } : systemActor,
      data: { version, fields: 'imageUrl' },
    });
    await pictureChanged(tx, { from: petition.image_url, to: url });
    await queries.setImage(tx, petitionId, { url, alt });
  },
  onChanged: (ctx, petitionId) => evictPetitions(ctx, [petitionId]),
  filterShown: queries.findShownImages,
  listUrls: queries.listImages,
};

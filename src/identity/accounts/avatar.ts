import type { PictureOwner } from '../../platform/images.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { forbidden, invalidValue } from '../../platform/problems.ts';
import * as queries from './queries.ts';

/** Lets users upload their own pictures. */
export const avatarImage: PictureOwner = {
  async recordFor(ctx, caller, entityId) {
    const id = entityId?.toLowerCase() ?? caller.userId;
    if (id === caller.userId) return id;
    if (await queries.findUser(ctx.db, id)) throw forbidden('This is the picture of another user.');
    throw invalidValue('entity_id', 'There is no such user. Leave it out for your own picture.');
  },
  async setImage(tx, userId, { url }) {
    const user = await queries.findUser(tx, userId);
    await queries.updateUser(tx, userId, { avatar_url: url });
    await pictureChanged(tx, { from: user?.avatar_url, to: url });
  },
  filterShown: queries.shownAvatars,
  listUrls: queries.listAvatars,
};

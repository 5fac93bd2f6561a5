import type { PictureOwner } from '../../platform/images.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { forbidden, invalidValue } from '../../platform/problems.ts';
import { findRole } from './member-queries.ts';
import { isAdminRole } from './policy.ts';
import { findOrganization, listPictures, shownPictures, updateOrganization } from './queries.ts';

/** Lets owners and admins upload a picture of their organization. */
const pictureOf = (column: 'logo_url' | 'cover_url'): PictureOwner => ({
  async recordFor({ db }, { userId }, entityId) {
    if (entityId === undefined) return undefined;
    const organization = await findOrganization(db, entityId);
    if (!organization) throw organizationNotFound();
    if (!isAdminRole(await findRole(db, organization.id, userId))) {
      throw forbidden('Only the owner and admins of the organization may change its pictures.');
    }
    return organization.id;
  },
  async setImage(tx, id, { url }) {
    const organization = await findOrganization(tx, id);
    await updateOrganization(tx, id, { [column]: url });
    await pictureChanged(tx, { from: organization?.[column], to: url });
  },
  filterShown: (tx, urls) => shownPictures(tx, column, urls),
  listUrls: (db, after, limit) => listPictures(db, column, after, limit),
});

export const organizationLogo = pictureOf('logo_url');
export const organizationCover = pictureOf('cover_url');

const organizationNotFound = () => invalidValue('entity_id', 'There is no such organization.');

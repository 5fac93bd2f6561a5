import type { ImageHolder } from '../../platform/images.ts';
import { forbidden, invalidValue } from '../../platform/problems.ts';
import { findRole } from './member-queries.ts';
import { isAdminRole } from './policy.ts';
import { findOrganization, shownPictures, updateOrganization } from './queries.ts';

/** Lets owners and admins upload a picture of their organization. */
const pictureOf = (column: 'logo_url' | 'cover_url'): ImageHolder => ({
  async recordFor({ db }, { userId }, entityId) {
    if (entityId === undefined) return undefined;
    const organization = await findOrganization(db, entityId);
    if (!organization) throw organizationNotFound();
    if (!isAdminRole(await findRole(db, organization.id, userId))) {
      throw forbidden('Only the owner and admins of the organization may change its pictures.');
    }
    return organization.id;
  },
  async setImage(tx, id, url) {
    await updateOrganization(tx, id, { [column]: url });
  },
  filterShown: (tx, urls) => shownPictures(tx, column, urls),
});

export const organizationLogo = pictureOf('logo_url');
export const organizationCover = pictureOf('cover_url');

const organizationNotFound = () => invalidValue('entity_id', 'There is no such organization.');

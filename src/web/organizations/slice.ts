import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import type { OrganizationsDeps } from '../../identity/organizations/organizations.ts';
import type { Site } from '../site/site.ts';
import { editRoutes } from './edit.ts';
import { memberRoutes } from './members.ts';
import { organizationRoutes } from './organizations.ts';

interface OrganizationPagesDeps extends OrganizationsDeps {
  pictureOwners: PictureOwners;
}

/** Pages on which members manage their organizations. */
export const organizationPagesSlice = (
  site: Site,
  { pictureOwners, ...deps }: OrganizationPagesDeps,
): Slice => ({
  routes: ofModule(
    'organizations',
    [...organizationRoutes(site, deps), ...editRoutes(site, pictureOwners), ...memberRoutes(site)],
    ['submitOrganizationDeletion', 'submitMemberRemoval'],
  ),
});

import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import type { OrganizationsDeps } from '../../identity/organizations/organizations.ts';
import type { Site } from '../site/site.ts';
import { editRoutes } from './edit.ts';
import { memberRoutes } from './members.ts';
import { organizationRoutes } from './organizations.ts';

interface OrganizationPagesDeps extends OrganizationsDeps {
  holders: ImageHolders;
}

/** Pages on which members manage their organizations. */
export const organizationPagesSlice = (
  site: Site,
  { holders, ...deps }: OrganizationPagesDeps,
): Slice => ({
  routes: [...organizationRoutes(site, deps), ...editRoutes(site, holders), ...memberRoutes(site)],
});

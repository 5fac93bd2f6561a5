import type { Slice } from '../../platform/slice.ts';
import { endMemberships, exportMemberships } from './member-queries.ts';
import { memberRoutes } from './member-routes.ts';
import type { OrganizationsDeps } from './organizations.ts';
import { organizationRoutes } from './routes.ts';

export const organizationsSlice = (needs: OrganizationsDeps): Slice => ({
  routes: [...organizationRoutes(needs), ...memberRoutes],
  personalData: { name: 'memberships', export: exportMemberships, erase: endMemberships },
});

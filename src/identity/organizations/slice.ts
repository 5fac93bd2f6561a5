import type { Slice } from '../../platform/slice.ts';
import { endMemberships, exportMemberships } from './member-queries.ts';
import { memberRoutes } from './member-routes.ts';
import type { OrganizationsDeps } from './organizations.ts';
import { organizationRoutes } from './routes.ts';

export const organizationsSlice = (deps: OrganizationsDeps): Slice => ({
  routes: [...organizationRoutes(deps), ...memberRoutes],
  personalData: { name: 'memberships', export: exportMemberships, erase: endMemberships },
});

import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { endMemberships, exportMemberships, giveMemberships } from './member-queries.ts';
import { memberRoutes } from './member-routes.ts';
import type { OrganizationsDeps } from './organizations.ts';
import { organizationRoutes } from './routes.ts';

export const organizationsSlice = (deps: OrganizationsDeps): Slice => ({
  routes: ofModule('organizations', [...organizationRoutes(deps), ...memberRoutes]),
  personalData: {
    name: 'memberships',
    export: exportMemberships,
    erase: endMemberships,
    quarantine: { release: giveMemberships },
  },
});

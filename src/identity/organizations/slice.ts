import { giveRows } from '../../platform/rows-of-accounts.ts';
import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { endMemberships, exportMemberships } from './member-queries.ts';
import { memberRoutes } from './member-routes.ts';
import type { OrganizationsDeps } from './organizations.ts';
import { organizationRoutes } from './routes.ts';

export const organizationsSlice = (deps: OrganizationsDeps): Slice => ({
  routes: ofModule('organizations', [...organizationRoutes(deps), ...memberRoutes]),
  personalData: {
    name: 'memberships',
    export: exportMemberships,
    erase: endMemberships,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'memberships', column: 'user_id', once: ['org_id'] }, accounts);
      },
    },
  },
});

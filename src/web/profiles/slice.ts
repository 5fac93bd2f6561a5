import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { organizationRoutes } from './organizations.ts';
import { profileRoutes, profileStyles } from './profiles.ts';
import { reportRoutes } from './report.ts';

/** Public pages of users and organizations. */
export const profilePagesSlice = (site: Site): Slice => ({
  assets: [profileStyles],
  routes: [
    ...profileRoutes(site),
    ...reportRoutes(site),
    ...ofModule('organizations', organizationRoutes(site)),
  ],
});

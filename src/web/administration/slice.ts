import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { categoryRoutes } from './categories.ts';
import { changeRoutes } from './changes.ts';
import { guideRoutes } from './guide.ts';
import { healthRoutes, type HealthDeps } from './health.ts';
import { siteFormRoutes } from './site-form.ts';

/** Pages on which administrators run the site. */
export const administrationSlice = (site: Site, deps: HealthDeps): Slice => ({
  routes: [
    ...siteFormRoutes(site),
    ...categoryRoutes(site),
    ...changeRoutes(site),
    ...healthRoutes(site, deps),
    ...guideRoutes(site),
  ],
});

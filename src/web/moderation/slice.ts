import type { MetricsDeps } from '../../oversight/metrics/metrics.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { reportKeysScript } from './assets.ts';
import { blockRoutes } from './blocks.ts';
import { complaintRoutes } from './complaints.ts';
import { figuresRoutes } from './figures.ts';
import { heldRoutes } from './held.ts';
import { integrityRoutes } from './integrity.ts';
import { networkRoutes } from './networks.ts';
import { petitionRoutes } from './petitions.ts';
import { recordRoutes } from './records.ts';
import { reportRoutes } from './reports.ts';
import { userRoutes } from './users.ts';

/** Pages of moderators and administrators. */
export const moderationPagesSlice = (site: Site, deps: MetricsDeps): Slice => ({
  assets: [reportKeysScript],
  routes: [
    ...reportRoutes(site),
    ...complaintRoutes(site),
    ...petitionRoutes(site),
    ...integrityRoutes(site),
    ...heldRoutes(site),
    ...blockRoutes(site),
    ...userRoutes(site),
    ...recordRoutes(site),
    ...figuresRoutes(site, deps),
    ...networkRoutes(site),
  ],
});

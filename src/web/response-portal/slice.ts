import type { Slice } from '../../platform/slice.ts';
import { portalAssets } from './assets.ts';
import { portalRoutes } from './routes.ts';

/** What decision makers open by the link in their mail: a briefing, and the form for a response. */
export const responsePortalSlice = (): Slice => ({ routes: portalRoutes, assets: portalAssets });

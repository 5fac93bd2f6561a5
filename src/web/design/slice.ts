import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { designRoutes } from './design.ts';

/** A page with every component, for those who develop the pages. */
export const designSlice = (site: Site): Slice => ({ routes: designRoutes(site) });

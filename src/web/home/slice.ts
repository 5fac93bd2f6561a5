import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { homeRoutes, homeStyles } from './home.ts';

export const homeSlice = (site: Site): Slice => ({
  assets: [homeStyles],
  routes: homeRoutes(site),
});

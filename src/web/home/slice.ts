import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { homeRoutes } from './home.ts';

export const homeSlice = (site: Site): Slice => ({ routes: homeRoutes(site) });

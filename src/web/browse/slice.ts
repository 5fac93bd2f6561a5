import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { browseRoutes } from './browse.ts';

export const browsePagesSlice = (site: Site): Slice => ({ routes: browseRoutes(site) });

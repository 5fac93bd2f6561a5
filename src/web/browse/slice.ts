import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { browseRoutes, browseStyles } from './browse.ts';

export const browsePagesSlice = (site: Site): Slice => ({
  assets: [browseStyles],
  routes: browseRoutes(site),
});

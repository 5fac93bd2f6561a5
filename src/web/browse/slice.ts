import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { browseStyles } from './assets.ts';
import { browseRoutes } from './browse.ts';

export const browsePagesSlice = (site: Site): Slice => ({
  assets: [browseStyles],
  routes: browseRoutes(site),
});

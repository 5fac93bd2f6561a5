import type { LogFiles } from '../../reach/transparency-log/transparency-log.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { publicLogAssets } from './assets.ts';
import { logPageRoutes } from './log-page.ts';

/** The page of the public log, where receipts are checked. */
export const publicLogPagesSlice = (site: Site, files: LogFiles | undefined): Slice => ({
  assets: publicLogAssets,
  routes: logPageRoutes(site, files),
});

import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { contactRoutes } from './contact.ts';
import { editingRoutes } from './editing.ts';
import { readingRoutes } from './reading.ts';

/** Pages about the site itself, and where administrators write them. */
export const aboutSiteSlice = (site: Site): Slice => ({
  routes: [...readingRoutes(site), ...contactRoutes(site), ...editingRoutes(site)],
});

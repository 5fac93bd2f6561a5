import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { designRoutes } from './design.ts';
import { mailRoutes } from './mails.ts';

/** Pages with every component and every mail, for those who develop them. */
export const designSlice = (site: Site): Slice => ({
  routes: [...designRoutes(site), ...mailRoutes(site)],
});

import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { confirmationRoutes } from './confirmation.ts';

/** Pages after a report was sent; the pages of what is reported have the form. */
export const reportPagesSlice = (site: Site): Slice => ({ routes: confirmationRoutes(site) });

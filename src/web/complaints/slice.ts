import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { complaintRoutes } from './complaints.ts';

/** The page that mails about decisions of moderators link to. */
export const complaintPagesSlice = (site: Site): Slice => ({ routes: complaintRoutes(site) });

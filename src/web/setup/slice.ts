import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { setupPage } from './setup.ts';

export const setupPagesSlice = (site: Site): Slice => ({ routes: setupPage(site) });

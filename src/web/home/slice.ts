import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { homePage } from './home.ts';

export const homeSlice = (site: Site): Slice => ({
  routes: [...site.page({ id: 'showHome', path: '/', access: 'anyone', show: homePage })],
});

import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { browsePage } from './browse.ts';

export const browsePagesSlice = (site: Site): Slice => ({
  routes: [
    ...site.page({
      id: 'browsePetitions',
      path: '/petitions',
      access: 'anyone',
      show: (view, { query }) => browsePage(view, query),
    }),
  ],
});

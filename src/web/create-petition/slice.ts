import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import type { Site } from '../site/site.ts';
import { draftScript } from './assets.ts';
import { finishingRoutes } from './finishing.ts';
import { writingRoutes } from './writing.ts';

/** The steps from a new draft to a published petition. */
export const createPetitionSlice = (site: Site, holders: ImageHolders): Slice => ({
  assets: [draftScript],
  routes: [...writingRoutes(site), ...finishingRoutes(site, holders)],
});

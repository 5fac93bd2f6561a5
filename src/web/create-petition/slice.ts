import type { Slice } from '../../platform/slice.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import type { Site } from '../site/site.ts';
import { draftScript } from './step-layout.ts';
import { peopleAndPreviewRoutes } from './people-and-preview.ts';
import { textAndDetailsRoutes } from './text-and-details.ts';

/** The steps from a new draft to a published petition. */
export const createPetitionSlice = (site: Site, pictureOwners: PictureOwners): Slice => ({
  assets: [draftScript],
  routes: [...textAndDetailsRoutes(site), ...peopleAndPreviewRoutes(site, pictureOwners)],
});

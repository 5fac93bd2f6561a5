import type { PictureOwners } from '../../campaigns/media/media.ts';
import type { FirstProof } from '../../identity/first-proof/first-proof.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { detailsStep } from './details-step.ts';
import { previewStep } from './preview-step.ts';
import { similarScript } from './similar.ts';
import { textStep } from './text-step.ts';

interface CreatePetitionDeps {
  pictureOwners: PictureOwners;
  firstProof: FirstProof;
}

/** The steps from a new draft to a published petition, which need no account before the last. */
export const createPetitionSlice = (
  site: Site,
  { pictureOwners, firstProof }: CreatePetitionDeps,
): Slice => ({
  assets: [similarScript],
  routes: [
    ...textStep(site),
    ...detailsStep(site, pictureOwners),
    ...previewStep(site, firstProof),
  ],
});

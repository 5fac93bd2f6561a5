import type { Slice } from '../../platform/slice.ts';
import type { RecordRead } from '../../campaigns/petitions/read.ts';
import type { Site } from '../site/site.ts';
import { petitionAssets } from './assets.ts';
import { opinionRoutes } from './answer-opinions.ts';
import { commentRoutes } from './comment-forms.ts';
import { contactRoutes } from './contact.ts';
import { confirmationRoutes, type ConfirmationDeps } from './confirmation.ts';
import { firstSignatureRoutes } from './first-signature.ts';
import { imageRoutes } from './images.ts';
import { listRoutes } from './lists.ts';
import { petitionRoutes } from './reading.ts';
import type { LogFiles } from '../../reach/transparency-log/transparency-log.ts';
import { petitionLogRoutes } from './petition-log.ts';
import { receiptFileRoutes } from './receipt-file.ts';
import { receiptRoutes } from './receipt.ts';
import { reportRoutes } from './report.ts';
import { sharingRoutes } from './sharing.ts';
import { reasonRoutes } from './signed.ts';
import { timelineRoutes } from './timeline.ts';
import { versionRoutes } from './versions.ts';
import { signingRoutes, type SigningDeps } from './signing.ts';

interface PetitionPagesDeps extends SigningDeps, ConfirmationDeps {
  noteRead: RecordRead;
  logFiles: LogFiles | undefined;
}

/** The page of a petition, and the pages and forms below it. */
export const petitionPagesSlice = (site: Site, deps: PetitionPagesDeps): Slice => ({
  assets: petitionAssets,
  routes: [
    ...petitionRoutes(site, deps.noteRead),
    ...listRoutes(site),
    ...versionRoutes(site),
    ...petitionLogRoutes(site, deps.logFiles),
    ...firstSignatureRoutes(site),
    ...signingRoutes(site, deps),
    ...confirmationRoutes(site, deps),
    ...commentRoutes(site),
    ...opinionRoutes(site),
    ...receiptRoutes(site),
    ...receiptFileRoutes(site, deps.logFiles),
    ...reportRoutes(site),
    ...contactRoutes(site),
    ...timelineRoutes(site),
    ...reasonRoutes(site),
    ...sharingRoutes(site),
    ...imageRoutes,
  ],
});

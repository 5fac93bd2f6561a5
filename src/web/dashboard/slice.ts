import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { PictureOwners } from '../../campaigns/media/media.ts';
import type { PaymentProvider } from '../../reach/payments/payments.ts';
import type { Site } from '../site/site.ts';
import { editRoutes } from './edit.ts';
import { figureRoutes } from './figures.ts';
import { dashboardScript, dashboardStyles } from './dashboard-layout.ts';
import { invitationRoutes } from './invitation.ts';
import { lifecycleRoutes } from './lifecycle.ts';
import { listRoutes } from './list.ts';
import { makerRoutes } from './makers.ts';
import { organizerRoutes } from './organizers.ts';
import { overviewRoutes } from './overview.ts';
import { promotionRoutes } from './promotion.ts';
import { redirectRoutes } from './redirects.ts';
import { signatureRoutes } from './signatures.ts';
import { updateRoutes } from './updates.ts';

/** Pages on which creators manage their petitions. */
export const dashboardSlice = (
  site: Site,
  { pictureOwners, provider }: { pictureOwners: PictureOwners; provider: PaymentProvider },
): Slice => ({
  assets: [dashboardStyles, dashboardScript],
  routes: [
    ...redirectRoutes(),
    ...listRoutes(site),
    ...overviewRoutes(site),
    ...editRoutes(site, pictureOwners),
    ...updateRoutes(site, pictureOwners),
    ...makerRoutes(site),
    ...organizerRoutes(site),
    ...invitationRoutes(site),
    ...figureRoutes(site),
    ...signatureRoutes(site),
    ...ofModule('promotion', promotionRoutes(site, provider)),
    ...lifecycleRoutes(site),
  ],
});

import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import type { PaymentProvider } from '../../reach/payments/payments.ts';
import type { Site } from '../site/site.ts';
import { editRoutes } from './edit.ts';
import { figureRoutes } from './figures.ts';
import { dashboardScript, dashboardStyles } from './frame.ts';
import { lifecycleRoutes } from './lifecycle.ts';
import { listRoutes } from './list.ts';
import { makerRoutes } from './makers.ts';
import { overviewRoutes } from './overview.ts';
import { promotionRoutes } from './promotion.ts';
import { redirectRoutes } from './redirects.ts';
import { signatureRoutes } from './signatures.ts';
import { updateRoutes } from './updates.ts';

/** Pages on which creators manage their petitions. */
export const dashboardSlice = (
  site: Site,
  { holders, provider }: { holders: ImageHolders; provider: PaymentProvider },
): Slice => ({
  assets: [dashboardStyles, dashboardScript],
  routes: [
    ...redirectRoutes(),
    ...listRoutes(site),
    ...overviewRoutes(site),
    ...editRoutes(site, holders),
    ...updateRoutes(site, holders),
    ...makerRoutes(site),
    ...figureRoutes(site),
    ...signatureRoutes(site),
    ...promotionRoutes(site, provider),
    ...lifecycleRoutes(site),
  ],
});

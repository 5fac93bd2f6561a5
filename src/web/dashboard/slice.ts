import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import type { PaymentProvider } from '../../reach/payments/payments.ts';
import type { Site } from '../site/site.ts';
import { dashboardAssets } from './assets.ts';
import { editRoutes } from './edit.ts';
import { figureRoutes } from './figures.ts';
import { finishRoutes } from './finish.ts';
import { listRoutes } from './list.ts';
import { makerRoutes } from './makers.ts';
import { overviewRoutes } from './overview.ts';
import { promotionRoutes } from './promotion.ts';
import { redirectRoutes } from './redirects.ts';
import { signatureRoutes } from './signatures.ts';
import { updateRoutes } from './updates.ts';

export interface DashboardDeps {
  holders: ImageHolders;
  provider: PaymentProvider;
}

/** Pages on which creators manage their petitions. */
export const dashboardSlice = (site: Site, { holders, provider }: DashboardDeps): Slice => ({
  assets: dashboardAssets,
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
    ...finishRoutes(site),
  ],
});

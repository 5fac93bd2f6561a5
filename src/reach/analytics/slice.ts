import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import type { SharesOf } from './analytics.ts';
import { analyticsRoutes } from './routes.ts';
import { forgetOldSums, sumsFollower } from './sums.ts';
import type { Views } from './views.ts';

/** What analytics need of others. */
export interface AnalyticsNeeds {
  views: Views;
  sharesOf: SharesOf;
}

export const analyticsSlice = (ctx: Context, { views, sharesOf }: AnalyticsNeeds): Slice => ({
  routes: analyticsRoutes(sharesOf),
  followers: [sumsFollower(ctx)],
  jobs: { 'forget-old-sums': () => forgetOldSums(ctx) },
  schedules: [{ job: 'forget-old-sums', cron: '41 * * * *' }],
  async start() {
    views.start();
  },
  stop: () => views.stop(),
});

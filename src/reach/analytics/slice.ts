import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { analyticsRoutes } from './routes.ts';
import { forgetOldSums, sumsFollower } from './sums.ts';
import type { Views } from './views.ts';

/** What is counted of reading and signing, and where; the views are counted by those who show petitions. */
export const analyticsSlice = (ctx: Context, views: Views): Slice => ({
  routes: analyticsRoutes,
  followers: [sumsFollower(ctx)],
  jobs: { 'forget-old-sums': () => forgetOldSums(ctx) },
  schedules: [{ job: 'forget-old-sums', cron: '41 * * * *' }],
  start: async () => views.writer.start(),
  stop: () => views.writer.stop(),
});

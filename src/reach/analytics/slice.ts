import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { analyticsRoutes } from './routes.ts';
import { deleteOldSums, sumsFollower } from './sums.ts';
import type { Views } from './views.ts';

/** Figures of views and signatures. The slices that show petitions count into `views`. */
export const analyticsSlice = (ctx: Context, views: Views): Slice => ({
  routes: analyticsRoutes,
  followers: [sumsFollower(ctx)],
  jobs: { 'forget-old-sums': () => deleteOldSums(ctx) },
  schedules: [{ job: 'forget-old-sums', cron: '41 * * * *' }],
  start: async () => views.writer.start(),
  stop: () => views.writer.stop(),
});

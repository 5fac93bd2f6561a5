import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { notifyRedacted } from './moderation.ts';
import { moderationRoutes } from './routes.ts';

export const moderationSlice = (ctx: Context): Slice => ({
  routes: moderationRoutes,
  mailJobs: {
    'notify-redacted': (job: { petition_id: string; act_id: string }) => notifyRedacted(ctx, job),
  },
});

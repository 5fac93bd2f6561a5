import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { eventWebhook } from '../../reach/webhooks/webhooks.ts';
import { workOnInvalidation } from './jobs.ts';
import { clearUser, findInvalidationsOfModerator } from './queries.ts';
import { integrityRoutes } from './routes.ts';
import { IntegrityAlert } from './schema.ts';
import { notifyInvalidated } from './notifying.ts';
import { forgetOldAlerts, watchingWorker } from './watching.ts';

export const integritySlice = (ctx: Context): Slice => ({
  routes: integrityRoutes,
  jobs: {
    'work-on-invalidation': (job: { id: string }) => workOnInvalidation(ctx, job.id),
    'forget-alerts': () => forgetOldAlerts(ctx),
  },
  mailJobs: {
    'tell-invalidated': (job: { id: string }) => notifyInvalidated(ctx, job.id),
  },
  schedules: [{ job: 'forget-alerts', cron: '41 3 * * *' }],
  workers: [watchingWorker(ctx)],
  webhooks: {
    'integrity.alert': eventWebhook('integrity.alert', {
      summary: 'Something stands out in the signatures of a petition',
      description: 'Of all petitions, for endpoints of administrators.',
      data: IntegrityAlert,
    }),
  },
  personalData: { name: 'invalidations', export: findInvalidationsOfModerator, erase: clearUser },
});

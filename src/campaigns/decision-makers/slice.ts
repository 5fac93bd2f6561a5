import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { forgetVerifier } from '../petitions/write.ts';
import { sendDelivery } from './delivering.ts';
import { cancelDeliveriesOfCreator, failDeliveries, findDeliveriesOfCreator } from './queries.ts';
import { publishDueResponses } from './responses.ts';
import { decisionMakerRoutes } from './routes.ts';

export const decisionMakersSlice = (ctx: Context): Slice => ({
  routes: decisionMakerRoutes,
  mailJobs: {
    'deliver-petition': (job: { link_id: string }) => sendDelivery(ctx, job.link_id),
  },
  onBounce: failDeliveries,
  jobs: {
    'publish-due-responses': () => publishDueResponses(ctx),
  },
  schedules: [{ job: 'publish-due-responses', cron: '*/10 * * * *' }],
  personalData: {
    name: 'deliveries',
    export: findDeliveriesOfCreator,
    quarantine: { hide: cancelDeliveriesOfCreator },
    async erase(tx, userId) {
      await cancelDeliveriesOfCreator(tx, userId);
      await forgetVerifier(tx, userId);
    },
  },
});

import type { Context } from '../../platform/context.ts';
import { ofModule } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { cleanWebhooks } from './cleaning.ts';
import { eventWebhooks } from './described-events.ts';
import { webhookFollower } from './follower.ts';
import { deleteBodiesNaming } from './payload-queries.ts';
import { exportEndpoints } from './queries.ts';
import { webhookRoutes } from './routes.ts';
import { Sender } from './sender.ts';
import { eraseUser } from './webhooks.ts';

export const webhooksSlice = (ctx: Context): Slice => ({
  // Receivers of deliveries, which go on, catch up by it.
  routes: ofModule('developers', webhookRoutes, ['listEvents']),
  followers: [webhookFollower(ctx)],
  workers: [new Sender(ctx)],
  jobs: {
    'clean-webhooks': () => cleanWebhooks(ctx),
    'forget-in-payloads': (job: { user_id: string }) => deleteBodiesNaming(ctx.db, job.user_id),
  },
  schedules: [{ job: 'clean-webhooks', cron: '23 * * * *' }],
  webhooks: eventWebhooks,
  personalData: { name: 'webhooks', export: exportEndpoints, erase: eraseUser },
});

import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { StepWorker } from '../../platform/workers.ts';
import { fanOut } from './fan-out.ts';
import { notificationsFollower, type NotificationsDeps } from './follower.ts';
import { readMailQueue } from './mail-queries.ts';
import { mailing } from './mails.ts';
import { deleteInbox, deleteOldNotifications, exportNotifications } from './queries.ts';
import { notificationRoutes } from './routes.ts';

export const notificationsSlice = (ctx: Context, deps: NotificationsDeps): Slice => ({
  routes: notificationRoutes,
  followers: [notificationsFollower(deps)],
  workers: [fanOut(ctx.pools.main), mailing(ctx)].map((work) => new StepWorker(work, ctx.log)),
  readMailQueue,
  jobs: { 'forget-old-notifications': () => deleteOldNotifications(ctx.pools.main) },
  schedules: [{ job: 'forget-old-notifications', cron: '13 3 * * *' }],
  personalData: { name: 'notifications', export: exportNotifications, erase: deleteInbox },
});

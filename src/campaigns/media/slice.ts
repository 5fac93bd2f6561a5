import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { present, type ImageHolders } from './media.ts';
import { eraseMedia, processMedia, removeFiles, sweepUploads } from './processing.ts';
import { findMediaOfUser } from './queries.ts';
import { mediaRoutes } from './routes.ts';

export const mediaSlice = (ctx: Context, holders: ImageHolders): Slice => ({
  routes: mediaRoutes(holders),
  jobs: {
    'process-media': (job: { media_id: string }) => processMedia(ctx, holders, job.media_id),
    'remove-media-files': (job: { token: string }) => removeFiles(ctx, job.token),
    'sweep-uploads': () => sweepUploads(ctx),
  },
  schedules: [{ job: 'sweep-uploads', cron: '17 * * * *' }],
  personalData: {
    name: 'media',
    export: async (db, userId) =>
      (await findMediaOfUser(db, userId)).map((row) => ({
        ...present(ctx, row),
        content_type: row.content_type,
      })),
    erase: (tx, userId) => eraseMedia(ctx, holders, tx, userId),
  },
});

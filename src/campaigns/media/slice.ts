import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { copyBackfill, copyPicture, removeCopyIfUnused, sweepCopies } from './copies.ts';
import { present, type PictureOwners } from './media.ts';
import { eraseMedia, processMedia, removeFiles, sweepUploads } from './processing.ts';
import { findMediaOfUser } from './queries.ts';
import { mediaRoutes } from './routes.ts';

export const mediaSlice = (ctx: Context, pictureOwners: PictureOwners): Slice => ({
  routes: mediaRoutes(pictureOwners),
  jobs: {
    'process-media': (job: { media_id: string }) => processMedia(ctx, pictureOwners, job.media_id),
    'remove-media-files': (job: { token: string }) => removeFiles(ctx, job.token),
    'sweep-uploads': () => sweepUploads(ctx),
    'copy-picture': (job: { url: string }) => copyPicture(ctx, pictureOwners, job.url),
    'remove-picture-copy': async (job: { url: string }) => {
      await removeCopyIfUnused(ctx, pictureOwners, job.url);
    },
    'sweep-picture-copies': () => sweepCopies(ctx, pictureOwners),
  },
  schedules: [
    { job: 'sweep-uploads', cron: '17 * * * *' },
    { job: 'sweep-picture-copies', cron: '41 2 * * *' },
  ],
  backfills: [copyBackfill(ctx, pictureOwners)],
  personalData: {
    name: 'media',
    export: async (db, userId) =>
      (await findMediaOfUser(db, userId)).map((row) => ({
        ...present(ctx, row),
        content_type: row.content_type,
        image_alt: row.image_alt,
      })),
    erase: (tx, userId) => eraseMedia(ctx, pictureOwners, tx, userId),
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'media', column: 'user_id' }, accounts);
        await giveRows(tx, { table: 'media', column: 'record_id' }, accounts);
      },
    },
  },
});

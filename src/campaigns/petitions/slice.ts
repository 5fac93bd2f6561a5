import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { StepWorker } from '../../platform/workers.ts';
import { evictAllPetitions } from './cache.ts';
import { closing, reminding } from './closing.ts';
import type { RecordRead } from './read.ts';
import { logIdsBackfill } from './log-ids.ts';
import { eraseCreator, exportPetitionsOfCreator } from './personal-queries.ts';
import { mergingJob } from '../categories/categories.ts';
import { movePetitions } from './merged-categories.ts';
import { quarantinedPetitions } from './quarantine.ts';
import { petitionRoutes } from './routes.ts';
import { sortKeysFollower } from './sort-keys.ts';
import { tagKeysBackfill } from './tags.ts';

export const petitionsSlice = (ctx: Context, noteRead: RecordRead): Slice => ({
  routes: petitionRoutes(noteRead),
  followers: [sortKeysFollower],
  workers: [closing(ctx), reminding(ctx)].map((work) => new StepWorker(work, ctx.log)),
  jobs: { [mergingJob]: (job: { after: string | null }) => movePetitions(ctx, job) },
  backfills: [tagKeysBackfill, logIdsBackfill],
  personalData: {
    name: 'petitions',
    export: exportPetitionsOfCreator,
    erase: eraseCreator,
    eraseLate: eraseCreator,
    quarantine: quarantinedPetitions,
    onErased: async () => evictAllPetitions(ctx),
  },
});

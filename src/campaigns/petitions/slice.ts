import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { evictAllPetitions } from './cache.ts';
import type { RecordRead } from './read.ts';
import { eraseCreator, exportPetitionsOfCreator } from './personal-queries.ts';
import { petitionRoutes } from './routes.ts';
import { sortKeysFollower } from './sort-keys.ts';
import { tagKeysBackfill } from './tags.ts';

export const petitionsSlice = (ctx: Context, noteRead: RecordRead): Slice => ({
  routes: petitionRoutes(noteRead),
  followers: [sortKeysFollower],
  backfills: [tagKeysBackfill],
  personalData: {
    name: 'petitions',
    export: exportPetitionsOfCreator,
    erase: eraseCreator,
    onErased: async () => evictAllPetitions(ctx),
  },
});

import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { evictAllPetitions } from './cache.ts';
import type { RecordRead } from './read.ts';
import { eraseCreator, exportPetitionsOfCreator } from './personal-queries.ts';
import { petitionRoutes } from './routes.ts';

export const petitionsSlice = (ctx: Context, noteRead: RecordRead): Slice => ({
  routes: petitionRoutes(noteRead),
  personalData: {
    name: 'petitions',
    export: exportPetitionsOfCreator,
    erase: eraseCreator,
    onErased: async () => evictAllPetitions(ctx),
  },
});

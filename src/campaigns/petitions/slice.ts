import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { forgetAllPetitions } from './cache.ts';
import type { NoteRead } from './read.ts';
import { eraseCreator, exportPetitionsOfCreator } from './personal-queries.ts';
import { petitionRoutes } from './routes.ts';

export const petitionsSlice = (ctx: Context, noteRead: NoteRead): Slice => ({
  routes: petitionRoutes(noteRead),
  personalData: {
    name: 'petitions',
    export: exportPetitionsOfCreator,
    erase: eraseCreator,
    erased: async () => forgetAllPetitions(ctx),
  },
});

import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { forgetAllPetitions } from './reading.ts';
import { forgetCreator, petitionsOf } from './queries.ts';
import { petitionRoutes, type PetitionsNeeds } from './routes.ts';

export const petitionsSlice = (ctx: Context, needs: PetitionsNeeds): Slice => ({
  routes: petitionRoutes(needs),
  personalData: {
    name: 'petitions',
    export: petitionsOf,
    erase: forgetCreator,
    erased: async () => forgetAllPetitions(ctx),
  },
});

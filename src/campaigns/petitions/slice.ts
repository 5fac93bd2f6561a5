import type { Slice } from '../../platform/slice.ts';
import { forgetCreator, petitionsOf } from './queries.ts';
import { petitionRoutes } from './routes.ts';

export const petitionsSlice = (): Slice => ({
  routes: petitionRoutes,
  personalData: { name: 'petitions', export: petitionsOf, erase: forgetCreator },
});

import type { Slice } from '../../platform/slice.ts';
import { updatesOf } from './queries.ts';
import { updateRoutes } from './routes.ts';

export const updatesSlice = (): Slice => ({
  routes: updateRoutes,
  personalData: {
    name: 'updates',
    export: updatesOf,
    // They belong to the petition, and stay or go with it.
    erase: async () => {},
  },
});

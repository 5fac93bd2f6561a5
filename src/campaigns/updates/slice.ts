import type { Slice } from '../../platform/slice.ts';
import { findUpdatesOfCreator } from './queries.ts';
import { updateRoutes } from './routes.ts';

export const updatesSlice = (): Slice => ({
  routes: updateRoutes,
  personalData: {
    name: 'updates',
    export: findUpdatesOfCreator,
    // Updates are part of the petition and are deleted with it.
    erase: async () => {},
  },
});

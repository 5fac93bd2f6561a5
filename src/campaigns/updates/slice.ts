import type { Slice } from '../../platform/slice.ts';
import { deleteDraftsOfCreator, findDraftsOfCreator } from './draft-queries.ts';
import { findUpdatesOfCreator } from './queries.ts';
import { updateRoutes } from './routes.ts';

export const updatesSlice = (): Slice => ({
  routes: updateRoutes,
  personalData: {
    name: 'updates',
    export: async (db, creatorId) => [
      ...(await findUpdatesOfCreator(db, creatorId)),
      ...(await findDraftsOfCreator(db, creatorId)),
    ],
    // Updates are part of the petition and are deleted with it.
    erase: deleteDraftsOfCreator,
  },
});

import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Slice } from '../../platform/slice.ts';
import { deleteDraftsOfAuthor, findDraftsOfAuthor } from './draft-queries.ts';
import { eraseAuthor, findUpdatesOfAuthor } from './queries.ts';
import { updateRoutes } from './routes.ts';

export const updatesSlice = (): Slice => ({
  routes: updateRoutes,
  personalData: {
    name: 'updates',
    export: async (db, userId) => [
      ...(await findUpdatesOfAuthor(db, userId)),
      ...(await findDraftsOfAuthor(db, userId)),
    ],
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'updates', column: 'author_id' }, accounts);
        await giveRows(
          tx,
          { table: 'update_drafts_by_author', column: 'user_id', once: ['petition_id'] },
          accounts,
        );
      },
    },
    // Updates are part of the petition and are deleted with it.
    async erase(tx, userId) {
      await eraseAuthor(tx, userId);
      await deleteDraftsOfAuthor(tx, userId);
    },
  },
});

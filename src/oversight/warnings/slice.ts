import { giveRows } from '../../platform/rows-of-accounts.ts';
import { many, one, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { deleteWarningsOf, findWarningsOfUser } from './queries.ts';
import { Warning, WarningInput, WarningListQuery } from './schema.ts';
import { listWarnings, warnUser } from './warnings.ts';

const api = routes('Admin');

export const warningsSlice = (): Slice => ({
  routes: [
    api.post('/v1/admin/warnings', {
      id: 'warnUser',
      summary: 'Warn a user',
      description: 'They are notified.',
      auth: { access: 'moderator' },
      body: {
        schema: WarningInput,
        example: {
          user_id: '01981d4c-2f0e-7d3a-9b1e-5a64f1c0a7d2',
          message: 'Please leave the home addresses of others out of your comments.',
        },
      },
      returns: one(Warning, 201),
      handle: ({ ctx, caller, body }) => warnUser(ctx, caller, body),
    }),
    api.get('/v1/admin/warnings', {
      id: 'listWarnings',
      summary: 'Warnings, newest first',
      description: 'For moderators: to whom they went, from whom, and the message.',
      auth: { access: 'moderator' },
      query: WarningListQuery,
      returns: many(Warning),
      handle: ({ ctx, query }) => listWarnings(ctx, query),
    }),
  ],
  personalData: {
    name: 'warnings',
    export: findWarningsOfUser,
    erase: deleteWarningsOf,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'warnings', column: 'user_id' }, accounts);
      },
    },
  },
});

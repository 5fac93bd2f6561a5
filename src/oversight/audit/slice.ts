import { giveRows } from '../../platform/rows-of-accounts.ts';
import { deleteReasonsAbout } from '../../platform/audit.ts';
import { many, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { readLog } from './audit.ts';
import { findActionsOnUser } from './queries.ts';
import { AuditLine, AuditQuery } from './schema.ts';

const api = routes('Admin');

export const auditSlice = (): Slice => ({
  routes: [
    api.get('/v1/admin/audit-logs', {
      id: 'listAuditLines',
      summary: 'What moderators and administrators did, newest first',
      description: 'Nothing changes or removes a line: the database refuses to.',
      auth: { access: 'admin' },
      query: AuditQuery,
      returns: many(AuditLine),
      handle: ({ ctx, query }) => readLog(ctx, query),
    }),
  ],
  personalData: {
    name: 'acts_of_moderators',
    export: findActionsOnUser,
    erase: deleteReasonsAbout,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'audit_reasons', column: 'user_id' }, accounts);
      },
    },
  },
});

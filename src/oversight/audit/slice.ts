import { forgetReasonsAbout } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { many, route } from '../../platform/http/route.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { invalidValue } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import { actsAbout, listLines } from './queries.ts';
import { AuditLine, AuditQuery } from './schema.ts';

export const auditSlice = (): Slice => ({
  routes: [
    route({
      id: 'listAuditLines',
      method: 'GET',
      path: '/v1/admin/audit-logs',
      summary: 'What moderators and administrators did, newest first',
      description: 'Nothing changes or removes a line: the database refuses to.',
      tag: 'Admin',
      access: 'admin',
      query: AuditQuery,
      returns: many(AuditLine),
      handle: ({ ctx, query }) => readLog(ctx, query),
    }),
  ],
  personalData: { name: 'acts_of_moderators', export: actsAbout, erase: forgetReasonsAbout },
});

/** @throws {Problem} validation-failed for a leap second, which RFC 3339 knows and JavaScript does not */
function momentOf(field: string, text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw invalidValue(field, 'There is no such moment.');
}

/** Lines of the audit log that match all of the query. */
async function readLog(ctx: Context, query: AuditQuery): Promise<Page<AuditLine>> {
  const filter = {
    actorId: query.actor_id,
    action: query.action,
    targetId: query.target_id,
    fromId: query.from && firstIdOf(momentOf('from', query.from)),
    toId: query.to && firstIdOf(momentOf('to', query.to)),
  };
  return pageById(
    'audit-logs',
    query,
    (before, limit) => listLines(ctx.db, filter, before, limit),
    (row) => row,
  );
}

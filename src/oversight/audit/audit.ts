import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { invalidValue } from '../../platform/problems.ts';
import { listLines } from './queries.ts';
import type { AuditLine, AuditQuery } from './schema.ts';

/** @throws {Problem} validation-failed for a leap second, which RFC 3339 knows and JavaScript does not */
function momentOf(field: string, text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw invalidValue(field, 'There is no such moment.');
}

/** Lines of the audit log that match all of the query. */
export async function readLog(ctx: Context, query: AuditQuery): Promise<Page<AuditLine>> {
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

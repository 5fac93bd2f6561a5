import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { validationFailed } from '../../platform/problems.ts';
import { listLines } from './queries.ts';
import type { AuditLine, AuditQuery } from './schema.ts';

/** @throws {Problem} validation-failed for a leap second, which RFC 3339 knows and JavaScript does not */
function momentOf(field: string, text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw validationFailed({ field, message: 'There is no such moment.', code: 'invalid_value' });
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
    { cursor: query.cursor, limit: query.limit ?? defaultLimit },
    (before, limit) => listLines(ctx.db, filter, before, limit),
    (row) => row,
  );
}

import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { parseDateTime } from '../../platform/http/times.ts';
import { listLines } from './queries.ts';
import type { AuditLine, AuditQuery } from './schema.ts';

/** Returns a page of lines of the audit log that match all parts of the query. */
export async function readLog(ctx: Context, query: AuditQuery): Promise<Page<AuditLine>> {
  const filter = {
    actorId: query.actor_id,
    action: query.action,
    targetId: query.target_id,
    fromId: query.from && firstIdOf(parseDateTime('from', query.from)),
    toId: query.to && firstIdOf(parseDateTime('to', query.to)),
  };
  return pageById(
    'audit-logs',
    query,
    (before, limit) => listLines(ctx.db, filter, before, limit),
    (row) => row,
  );
}

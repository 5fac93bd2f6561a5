import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { notFound } from '../../platform/problems.ts';
import { weighingNow } from '../reports/reports.ts';
import type { AdminReport, ReportQueueQuery } from '../reports/schema.ts';
import { findReport, listReports, type QueuedReport } from './queries.ts';

/** Returns a page of the moderators' queue: reports with one status, oldest first. */
export async function listReportQueue(
  ctx: Context,
  query: ReportQueueQuery,
): Promise<Page<AdminReport>> {
  const { status = 'open', target_type: targetType, limit = defaultLimit } = query;
  const after = decodeCursor('reports', ['uuid'], query.cursor);
  const afterId = after && String(after[0]);
  const rows = await listReports(
    ctx.db,
    { status, targetType },
    {
      after: afterId,
      limit: limit + 1,
      weighing: weighingNow(ctx),
    },
  );
  return toPage(
    rows,
    limit,
    ({ id }) => encodeCursor('reports', [id]),
    (row) => present(ctx, row),
  );
}

/** @throws {Problem} not-found */
export async function requireReport(ctx: Context, id: string): Promise<QueuedReport> {
  const row = await findReport(ctx.db, id, weighingNow(ctx));
  if (!row) throw notFound('report');
  return row;
}

/**
 * Returns one report as moderators see it.
 * @throws {Problem} not-found
 */
export const getReport = async (ctx: Context, id: string): Promise<AdminReport> =>
  present(ctx, await requireReport(ctx, id));

export function present(ctx: Context, row: QueuedReport): AdminReport {
  const {
    title,
    language,
    text,
    state,
    petition_id,
    author,
    target_history: decided,
    ...rest
  } = row;
  const record = { ...rest, target_history: (decided ?? []).map(presentDecision) };
  if (state === null) return { ...record, target: null };
  const url = `${ctx.config.baseUrl}/v1/${pathOf(row)}`;
  return { ...record, target: { title, language, text, state, petition_id, author, url } };
}

/** PostgreSQL writes times in JSON with an offset. */
const presentDecision = ({ action, created_at }: { action: string; created_at: string }) => ({
  action,
  created_at: new Date(created_at).toISOString(),
});

function pathOf({ target_type: type, target_id: id, author, petition_id }: QueuedReport): string {
  if (type === 'user') return `users/${author!.slug}`;
  return type === 'signature' ? `petitions/${petition_id}/signatures` : `${type}s/${id}`;
}

import { Type } from 'typebox';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { many, one, routes } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import type { Slice } from '../../platform/slice.ts';
import { AdminReport, ReportActionInput, ReportQueueQuery } from '../reports/schema.ts';
import { actOnReport, listReportQueue } from './report-queue.ts';

const api = routes('Admin');

export const reportQueueSlice = (sessions: Sessions): Slice => ({
  routes: [
    api.get('/v1/admin/reports', {
      id: 'listReports',
      summary: 'Reports, oldest first, with what is needed to decide',
      description:
        'For moderators. Each has what was reported, and what moderators have to know to decide.',
      auth: { access: 'moderator' },
      query: ReportQueueQuery,
      returns: many(AdminReport),
      handle: ({ ctx, query }) => listReportQueue(ctx, query),
    }),
    api.post('/v1/admin/reports/{id}/action', {
      id: 'actOnReport',
      summary: 'Decide on a report, and on all open reports of the same target',
      description:
        'hide_content hides a comment, empties the reason of a signature, and puts an active petition under review; suspend_user and warn_user concern the author; remove_petition deletes a petition.',
      auth: { access: 'moderator' },
      params: Type.Object({ id: idOf('the report') }),
      body: {
        schema: ReportActionInput,
        example: { action: 'dismiss', note: 'Sharp, but within the rules.' },
      },
      returns: one(AdminReport),
      problems: ['not-found', 'conflict'],
      handle: ({ ctx, caller, params, body }) =>
        actOnReport(ctx, sessions, caller, params.id, body),
    }),
  ],
});

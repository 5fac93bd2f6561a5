import { Type } from 'typebox';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { many, one, route, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import { actOnReport } from './actions.ts';
import { listQueue } from './queue.ts';
import { report } from './reports.ts';
import { AdminReport, Report, ReportActionInput, ReportInput, ReportQueueQuery } from './schema.ts';

export const reportRoutes = (sessions: Sessions): Route[] => [
  route({
    id: 'createReport',
    method: 'POST',
    path: '/v1/reports',
    summary: 'Report a petition, a comment or a user to the moderators',
    description:
      'Once for each person: while your report is open, sending it again gives the same report.',
    tag: 'Reports',
    access: 'user',
    body: ReportInput,
    example: {
      target_type: 'comment',
      target_id: '01981d4c-2f0e-7d3a-9b1e-5a64f1c0a7d2',
      reason: 'harassment',
      description: 'It names where somebody lives.',
    },
    returns: one(Report, 201),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, body }) => report(ctx, caller, body),
  }),
  route({
    id: 'listReports',
    method: 'GET',
    path: '/v1/admin/reports',
    summary: 'Reports, oldest first, with what is needed to decide',
    tag: 'Admin',
    access: 'moderator',
    query: ReportQueueQuery,
    returns: many(AdminReport),
    handle: ({ ctx, query }) => listQueue(ctx, query),
  }),
  route({
    id: 'actOnReport',
    method: 'POST',
    path: '/v1/admin/reports/{id}/action',
    summary: 'Decide on a report, and on all open reports of the same target',
    description:
      'hide_content hides a comment and puts an active petition under review; suspend_user and warn_user concern the author; remove_petition deletes a petition.',
    tag: 'Admin',
    access: 'moderator',
    params: Type.Object({ id: Uuid }),
    body: ReportActionInput,
    example: { action: 'dismiss', note: 'Sharp, but within the rules.' },
    returns: one(AdminReport),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) => actOnReport(ctx, sessions, caller, params.id, body),
  }),
];

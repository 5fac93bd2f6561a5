import { one, type Route, routes } from '../../platform/http/route.ts';
import { createReport } from './reports.ts';
import { Report, ReportInput } from './schema.ts';

const api = routes('Reports');

export const reportRoutes: Route[] = [
  api.post('/v1/reports', {
    id: 'createReport',
    summary: 'Report a petition, a comment, a user or the reason of a signature to the moderators',
    description:
      'Once for each person: while your report is open, sending it again gives the same report.',
    auth: { access: 'user' },
    body: {
      schema: ReportInput,
      example: {
        target_type: 'comment',
        target_id: '01981d4c-2f0e-7d3a-9b1e-5a64f1c0a7d2',
        reason: 'harassment',
        description: 'It names where somebody lives.',
      },
    },
    returns: one(Report, 201),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, body }) => createReport(ctx, caller, body),
  }),
];

import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { deleteExpiredTokens } from '../accounts/accounts.ts';
import { deleteExpired, exportSessions } from './queries.ts';
import { sessionRoutes } from './routes.ts';
import type { Sessions, SessionsDeps } from './sessions.ts';
import { sendSignInAlert } from './sign-in-alert.ts';

export const sessionsSlice = (ctx: Context, sessions: Sessions, deps: SessionsDeps): Slice => ({
  routes: sessionRoutes(sessions, deps),
  mailJobs: {
    'send-sign-in-alert': (job: { session_id: string }) => sendSignInAlert(ctx, job.session_id),
  },
  jobs: {
    'forget-expired-credentials': async () => {
      await deleteExpired(ctx.db);
      await deleteExpiredTokens(ctx.db);
    },
  },
  schedules: [{ job: 'forget-expired-credentials', cron: '17 * * * *' }],
  personalData: {
    name: 'sessions',
    export: exportSessions,
    erase: (tx, userId) => sessions.endAllSessions(tx, userId),
    onErased: () => sessions.revocations.refresh(),
  },
  start: () => sessions.start(),
  stop: async () => sessions.revocations.stop(),
});

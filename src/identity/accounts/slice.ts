import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { ensureAdmin, sendAccessEndedMail, sendVerificationMail } from './accounts.ts';
import { sendPhoneCode } from './phone.ts';
import { accountRoutes, type AccountRoutesDeps } from './routes.ts';

export interface AccountsDeps extends AccountRoutesDeps {
  /** Ends every session, API key, OAuth grant and webhook of a user. */
  endAccess: (userId: string) => Promise<void>;
  /** Accepts the credentials of a formerly suspended user again. */
  restore: (userId: string) => Promise<void>;
}

export const accountsSlice = (ctx: Context, deps: AccountsDeps): Slice => ({
  routes: accountRoutes(deps),
  mailJobs: {
    'send-verification-mail': (job: { user_id: string }) => sendVerificationMail(ctx, job.user_id),
    'send-access-ended-mail': (job: { user_id: string }) => sendAccessEndedMail(ctx, job.user_id),
  },
  jobs: {
    'send-phone-code': (job: { user_id: string }) => sendPhoneCode(ctx, job.user_id),
  },
  start: () => ensureAdmin(ctx, deps),
});

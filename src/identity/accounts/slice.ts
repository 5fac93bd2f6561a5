import type { Context } from '../../platform/context.ts';
import type { PersonalData, Slice } from '../../platform/slice.ts';
import { ensureAdmin, sendVerificationMail } from './accounts.ts';
import { sendPhoneCode } from './phone.ts';
import { accountRoutes } from './routes.ts';

/** What accounts need of slices that they do not know. */
export interface AccountsDeps {
  /** Every other slice that holds personal data. */
  holders: () => PersonalData[];
  /** Ends every session, API key, OAuth grant and webhook of a user. */
  endAccess: (userId: string) => Promise<void>;
  /** Takes the credentials of somebody who was suspended again. */
  restore: (userId: string) => Promise<void>;
}

export const accountsSlice = (ctx: Context, { holders, ...needs }: AccountsDeps): Slice => ({
  routes: accountRoutes(holders),
  jobs: {
    'send-verification-mail': (job: { user_id: string }) => sendVerificationMail(ctx, job.user_id),
    'send-phone-code': (job: { user_id: string }) => sendPhoneCode(ctx, job.user_id),
  },
  start: () => ensureAdmin(ctx, needs),
});

import type { Context } from '../../platform/context.ts';
import { nothing, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { requestReset, sendResetMail, type Recovery } from './recovery.ts';
import { ForgotInput, ResetInput } from './schema.ts';

const api = routes('Authentication');

export const recoverySlice = (ctx: Context, recovery: Recovery): Slice => ({
  routes: [
    api.post('/v1/auth/forgot-password', {
      id: 'forgotPassword',
      summary: 'Get a mail with a link that sets a new password',
      description:
        'The answer is the same whether the address is known or not. A mailbox gets 5 of these mails a day, whichever of its addresses was sent.',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: ForgotInput, example: { email: 'ada@example.org' } },
      returns: nothing(),
      handle: (call) => requestReset(call.ctx, call.body),
    }),
    api.post('/v1/auth/reset-password', {
      id: 'resetPassword',
      summary: 'Set a new password with the token from the mail',
      description:
        'Ends every session and OAuth grant of the account, and sends a mail. If its address was not verified before, it is now: unless the request comes from the browser that registered, it gets a new account, since someone else may have opened the first (`GET /v1/users/me/earlier-account`).',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: {
        schema: ResetInput,
        example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ', password: 'battery staple' },
      },
      returns: nothing(),
      problems: ['gone'],
      async handle({ ctx: within, body, headers }) {
        await recovery.resetPassword(within, body, headers);
      },
    }),
  ],
  mailJobs: {
    'send-password-changed-mail': (job: { user_id: string }) =>
      recovery.sendPasswordChangedMail(ctx, job.user_id),
    'send-reset-mail': (job: { user_id: string | null }) => sendResetMail(ctx, job.user_id),
  },
});

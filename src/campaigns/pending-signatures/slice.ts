import type { Context } from '../../platform/context.ts';
import { one, routes } from '../../platform/http/route.ts';
import { requireCaptcha } from '../../identity/captcha/captcha.ts';
import type { Slice } from '../../platform/slice.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import { SignatureReceipt } from '../signatures/schema.ts';
import {
  createPendingSignature,
  sendSigningMail,
  type SigningMailJob,
  type Confirmation,
} from './pending-signatures.ts';
import { deleteExpiredPending, erasePendingOf, findPendingOfUser } from './queries.ts';
import { remindUnconfirmed, sendSigningReminder } from './reminding.ts';
import { ConfirmationInput, PendingSignature, PendingSignatureInput } from './schema.ts';

const api = routes('Signatures');

export const pendingSignaturesSlice = (ctx: Context, confirmation: Confirmation): Slice => ({
  routes: [
    api.post('/v1/petitions/{id}/signatures/pending', {
      id: 'signByMail',
      summary: 'Sign a petition without logging in',
      description:
        'A mail goes to the address, with a link to a page of the service and a code of 6 digits; either confirms the signature within 24 hours, and only then it counts. The answer is the same whether the address has an account or not.',
      auth: { access: 'anyone', ignoresCredentials: true },
      params: PetitionRef,
      query: AccessCodeQuery,
      body: {
        schema: PendingSignatureInput,
        example: {
          display_name: 'Ada Lovelace',
          email: 'ada@example.org',
          comment: 'I walk there every night.',
        },
      },
      returns: one(PendingSignature, 202),
      problems: ['forbidden', 'not-found', 'conflict'],
      async handle(call) {
        const { params, query, body: input, ip } = call;
        await requireCaptcha(call.ctx, { token: input.recaptchaToken, ip });
        const code = query.access_code;
        return createPendingSignature(call.ctx, { ref: params.id, input, code, ip });
      },
    }),
    api.post('/v1/signatures/confirm', {
      id: 'confirmSignature',
      summary: 'Confirm a signature that was mailed',
      description:
        'With the `token` of the link, or with the `code` of 6 digits and either `id` or `petition` and `email`. `display_name` corrects the name that the signature shows. It proves the address: the signature is that of its account, which is made where there is none, without a password. Confirmed again within 24 hours, it gives the same answer, with the count as it is then. A wrong code is 422; after 5 tries, and for what is older than 24 hours or was withdrawn since, the answer is 410.',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: ConfirmationInput, example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' } },
      returns: one(SignatureReceipt, 201),
      problems: ['forbidden', 'conflict', 'gone'],
      handle: async (call) => {
        const { body: input, ip, headers } = call;
        return (await confirmation.confirm(call.ctx, { input, ip, headers })).receipt;
      },
    }),
  ],
  mailJobs: {
    'send-signing-mail': (job: SigningMailJob) => sendSigningMail(ctx, job),
    'send-signing-reminder': (job: { id: string }) => sendSigningReminder(ctx, job.id),
  },
  jobs: {
    'drop-pending-signatures': () => deleteExpiredPending(ctx.db),
    'remind-unconfirmed-signatures': () => remindUnconfirmed(ctx),
  },
  schedules: [
    { job: 'drop-pending-signatures', cron: '23 * * * *' },
    { job: 'remind-unconfirmed-signatures', cron: '*/5 * * * *' },
  ],
  personalData: { name: 'pending_signatures', export: findPendingOfUser, erase: erasePendingOf },
});

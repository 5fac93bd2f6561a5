import type { Context } from '../../platform/context.ts';
import { nothing, one, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Credentials } from './credentials.ts';
import { sendChanged, sendConfirmation } from './mails.ts';
import { deleteOldChanges, exportChanges } from './queries.ts';
import {
  AddressChange,
  AddressToken,
  PasswordChange,
  PasswordRemoval,
  PendingAddress,
} from './schema.ts';

const users = routes('Users');
const authentication = routes('Authentication');

const proofs =
  'Needs the `password` in force, or `challenge` and `code` of `POST /v1/auth/magic-link`, or a login of the last 10 minutes: else 403 reauthentication_required.';

export const credentialsSlice = (ctx: Context, credentials: Credentials): Slice => ({
  routes: [
    users.put('/v1/users/me/password', {
      id: 'changePassword',
      summary: 'Set or change your password',
      description: `${proofs} Ends all other sessions.`,
      auth: { access: 'user' },
      body: { schema: PasswordChange, example: { new_password: 'battery staple' } },
      returns: nothing(),
      problems: ['forbidden', 'gone'],
      handle: ({ ctx: within, caller, body: input, ip }) =>
        credentials.changePassword(within, { caller, input, ip }),
    }),
    users.delete('/v1/users/me/password', {
      id: 'removePassword',
      summary: 'Remove your password, and log in by mail from then on',
      description: `${proofs} Needs a verified address.`,
      auth: { access: 'user' },
      body: { schema: PasswordRemoval, isOptional: true, example: { password: 'correct horse' } },
      returns: nothing(),
      problems: ['forbidden', 'gone'],
      handle: ({ ctx: within, caller, body: input, ip }) =>
        credentials.removePassword(within, { caller, input, ip }),
    }),
    users.post('/v1/users/me/email', {
      id: 'changeEmail',
      summary: 'Change your email address',
      description: `${proofs} Needs a verified address: 403 email_not_verified. A mail to the new address confirms it; the old one is told, and can undo it for 7 days, in which it stays reserved. The answer is the same for an address that is in use.`,
      auth: { access: 'user' },
      body: { schema: AddressChange, example: { email: 'grace@example.org' } },
      returns: one(PendingAddress, 202),
      problems: ['forbidden', 'gone'],
      handle: ({ ctx: within, caller, body: input, ip }) =>
        credentials.requestAddress(within, { caller, input, ip }),
    }),
    authentication.post('/v1/auth/email/confirm', {
      id: 'confirmEmail',
      summary: 'Confirm a new email address with the token from the mail',
      description:
        '409 if another account has the address by then and it is verified there. 410 also where the account has another address since, or its owner has set a new password or ended sessions.',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: AddressToken, example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' } },
      returns: nothing(),
      problems: ['conflict', 'gone'],
      handle: ({ ctx: within, body, headers }) =>
        credentials.confirmAddress(within, body.token, headers),
    }),
    authentication.post('/v1/auth/email/undo', {
      id: 'undoEmail',
      summary: 'Undo a change of address with the token from the mail to the old one',
      description:
        'For 7 days. Ends sessions, API keys and grants that were made since, and mails a link for a new password.',
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: AddressToken, example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' } },
      returns: nothing(),
      problems: ['conflict', 'gone'],
      handle: ({ ctx: within, body }) => credentials.undoAddress(within, body.token),
    }),
  ],
  mailJobs: {
    'send-address-confirmation': (job: { id: string }) => sendConfirmation(ctx, job.id),
    'send-address-changed': (job: { id: string }) => sendChanged(ctx, job.id),
  },
  jobs: { 'forget-address-changes': () => deleteOldChanges(ctx.db) },
  schedules: [{ job: 'forget-address-changes', cron: '37 3 * * *' }],
  personalData: {
    name: 'address_changes',
    export: exportChanges,
    // Deleted with the user.
    erase: async () => {},
  },
});

import { Type } from 'typebox';
import type { Context } from '../../platform/context.ts';
import { preconditionOf } from '../../platform/http/preconditions.ts';
import {
  nothing,
  one,
  routes,
  streamedObject,
  type Call,
  type Route,
} from '../../platform/http/route.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { validationFailed } from '../../platform/problems.ts';
import type { PersonalData } from '../../platform/slice.ts';
import * as accounts from './accounts.ts';
import {
  EraseInput,
  PhoneCodeInput,
  PhoneInput,
  PublicProfile,
  RegisterInput,
  User,
  UserUpdateInput,
  VerifyEmailInput,
} from './schema.ts';

const api = routes('Users');
const authentication = routes('Authentication');

const ownProfile = (id: string, path: string): Route =>
  api.get(path, {
    id,
    summary: 'Your own account',
    description:
      'As only you see it, with your address. `GET /v1/users/{slug}` is what everybody sees.',
    auth: { access: 'user', scope: 'read:profile' },
    returns: one(User),
    cache: { etag: true },
    revision: accounts.accountRevision,
    handle: async ({ ctx, caller }) => accounts.presentUser(await accounts.ownAccount(ctx, caller)),
  });

export interface AccountRoutesDeps {
  /** Returns the slices with personal data, for export and erasure. */
  holders: () => PersonalData[];
  /** Returns false if the input proves nothing. @throws {Problem} forbidden if the proof is wrong */
  proveOwner: (
    ctx: Context,
    request: { user: accounts.UserRow; proof: EraseInput; ip: string },
  ) => Promise<boolean>;
  /** Remembers in the browser that the account was registered there. */
  rememberRegistration: (call: Pick<Call, 'ctx' | 'headers' | 'header'>, userId: string) => void;
}

export const accountRoutes = ({
  holders,
  proveOwner,
  rememberRegistration,
}: AccountRoutesDeps): Route[] => [
  authentication.post('/v1/auth/register', {
    id: 'register',
    summary: 'Open an account',
    description:
      'Sends a mail that verifies the address. Mails to the account are in the language of `Accept-Language`, as far as the service has it. 300 accounts an hour from one network address. 403 where those who run the site have closed sign-up.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: {
      schema: RegisterInput,
      example: { email: 'ada@example.org', password: 'correct horse', display_name: 'Ada' },
    },
    returns: one(User, 201),
    problems: ['forbidden', 'conflict'],
    async handle(call) {
      const { ctx, body, ip, headers } = call;
      const language = languageOf(headers, ctx.site.current);
      const user = await accounts.register(ctx, body, { ip, language });
      rememberRegistration(call, user.id);
      return accounts.presentUser(user);
    },
  }),
  authentication.post('/v1/auth/verify-email', {
    id: 'verifyEmail',
    summary: 'Verify an email address with the token from the mail',
    description:
      'The link in the mail leads to a page that sends it. A token works once; ask for another mail with `POST /v1/auth/verify-email/resend`.',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: VerifyEmailInput, example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' } },
    returns: nothing(),
    problems: ['gone'],
    handle: ({ ctx, body }) => accounts.verifyEmail(ctx, body.token),
  }),
  authentication.post('/v1/auth/verify-email/resend', {
    id: 'resendVerification',
    summary: 'Get another verification mail',
    description:
      'If the address is not verified yet, or if mail to it came back: then the link allows all mail again. Otherwise nothing is sent.',
    auth: { access: 'user' },
    returns: nothing(),
    handle: ({ ctx, caller }) => accounts.requestVerification(ctx, caller),
  }),
  ownProfile('getOwnAccount', '/v1/users/me'),
  ownProfile('getMe', '/v1/me'),
  api.patch('/v1/users/me', {
    id: 'updateOwnAccount',
    summary: 'Change your own account',
    description: 'Members that are left out stay as they are. The slug never changes.',
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: UserUpdateInput, example: { bio: 'Likes rivers.' } },
    returns: one(User),
    revision: accounts.accountRevision,
    handle: async ({ ctx, caller, body, headers }) => {
      const precondition = preconditionOf(headers, accounts.accountRevision);
      return accounts.presentUser(await accounts.updateAccount(ctx, caller, body, precondition));
    },
  }),
  api.delete('/v1/users/me', {
    id: 'eraseOwnAccount',
    summary: 'Erase your account',
    description:
      'Signatures and comments are kept without a name. This cannot be undone. With the password, or with a code that was mailed to the address of the account.',
    auth: { access: 'user' },
    body: { schema: EraseInput, example: { password: 'correct horse' } },
    returns: nothing(),
    revision: accounts.accountRevision,
    problems: ['forbidden', 'gone'],
    async handle({ ctx, caller, body, ip, headers }) {
      const user = await accounts.ownAccount(ctx, caller);
      if (!(await proveOwner(ctx, { user, proof: body, ip }))) {
        const message = 'Send your password, or challenge and code.';
        throw validationFailed({ field: 'password', message, code: 'required' });
      }
      const precondition = preconditionOf(headers, accounts.accountRevision);
      await accounts.eraseUser(ctx, user.id, holders(), precondition);
    },
  }),
  api.get('/v1/users/me/export', {
    id: 'exportOwnData',
    summary: 'All that the service holds about you, as one document',
    description:
      'A JSON object with a member for each part of the service: your account, petitions, signatures, comments, sessions and more. At most 10 a minute.',
    auth: { access: 'user' },
    returns: streamedObject(
      Type.Object(
        { account: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: true },
      ),
    ),
    handle: async ({ ctx, caller }) => ({
      chunks: await accounts.exportPersonalData(ctx, caller, holders()),
    }),
  }),
  api.post('/v1/users/me/phone', {
    id: 'requestPhoneCode',
    module: 'phone',
    summary: 'Get a code by text message that verifies a phone',
    description: '5 an hour of one account, 5 a day to one number.',
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: PhoneInput, example: { phone: '+441632960961' } },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => accounts.requestPhoneCode(ctx, caller, body.phone),
  }),
  api.post('/v1/users/me/phone/verify', {
    id: 'verifyPhone',
    module: 'phone',
    summary: 'Verify a phone with the code from the text message',
    description: 'The code of `POST /v1/users/me/phone`, within 10 minutes and 5 tries.',
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: PhoneCodeInput, example: { code: '123456' } },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => accounts.verifyPhone(ctx, caller, body.code),
  }),
  api.get('/v1/users/{slug}', {
    id: 'getProfile',
    summary: 'A public profile',
    description: 'What everybody may know of a user. Suspended users have none.',
    auth: { access: 'anyone' },
    params: Type.Object({ slug: Type.String({ description: 'Slug of the account.' }) }),
    returns: one(PublicProfile),
    problems: ['not-found'],
    cache: { etag: true },
    handle: ({ ctx, params }) => accounts.publicProfile(ctx, params.slug),
  }),
];

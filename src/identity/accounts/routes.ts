import { Type } from 'typebox';
import { nothing, one, route, streamedObject, type Route } from '../../platform/http/route.ts';
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

const tag = 'Users';

const ownProfile = (id: string, path: string): Route =>
  route({
    id,
    method: 'GET',
    path,
    summary: 'Your own account',
    tag,
    auth: { access: 'user', scope: 'read:profile' },
    returns: one(User),
    handle: async ({ ctx, caller }) => accounts.presentUser(await accounts.ownAccount(ctx, caller)),
  });

/** `holders` returns the slices with personal data, for export and erasure. */
export const accountRoutes = (holders: () => PersonalData[]): Route[] => [
  route({
    id: 'register',
    method: 'POST',
    path: '/v1/auth/register',
    summary: 'Open an account',
    description:
      'Sends a mail that verifies the address. 300 accounts an hour from one network address.',
    tag: 'Authentication',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: {
      schema: RegisterInput,
      example: { email: 'ada@example.org', password: 'correct horse', display_name: 'Ada' },
    },
    returns: one(User, 201),
    problems: ['conflict'],
    handle: async ({ ctx, body, ip }) =>
      accounts.presentUser(await accounts.register(ctx, body, ip)),
  }),
  route({
    id: 'verifyEmail',
    method: 'POST',
    path: '/v1/auth/verify-email',
    summary: 'Verify an email address with the token from the mail',
    tag: 'Authentication',
    auth: { access: 'anyone', ignoresCredentials: true },
    body: { schema: VerifyEmailInput, example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' } },
    returns: nothing(),
    problems: ['gone'],
    handle: ({ ctx, body }) => accounts.verifyEmail(ctx, body.token),
  }),
  route({
    id: 'resendVerification',
    method: 'POST',
    path: '/v1/auth/verify-email/resend',
    summary: 'Get another verification mail',
    tag: 'Authentication',
    auth: { access: 'user' },
    returns: nothing(),
    handle: ({ ctx, caller }) => accounts.requestVerification(ctx, caller),
  }),
  ownProfile('getOwnAccount', '/v1/users/me'),
  ownProfile('getMe', '/v1/me'),
  route({
    id: 'updateOwnAccount',
    method: 'PATCH',
    path: '/v1/users/me',
    summary: 'Change your own account',
    description: 'Members that are left out stay as they are. The slug never changes.',
    tag,
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: UserUpdateInput, example: { bio: 'Likes rivers.' } },
    returns: one(User),
    handle: async ({ ctx, caller, body }) =>
      accounts.presentUser(await accounts.updateAccount(ctx, caller, body)),
  }),
  route({
    id: 'eraseOwnAccount',
    method: 'DELETE',
    path: '/v1/users/me',
    summary: 'Erase your account',
    description: 'Signatures and comments are kept without a name. This cannot be undone.',
    tag,
    auth: { access: 'user' },
    body: { schema: EraseInput, example: { password: 'correct horse' } },
    returns: nothing(),
    problems: ['forbidden'],
    handle: ({ ctx, caller, body }) => accounts.eraseAccount(ctx, caller, body.password, holders()),
  }),
  route({
    id: 'exportOwnData',
    method: 'GET',
    path: '/v1/users/me/export',
    summary: 'All that the service holds about you, as one document',
    tag,
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
  route({
    id: 'requestPhoneCode',
    method: 'POST',
    path: '/v1/users/me/phone',
    summary: 'Get a code by text message that verifies a phone',
    description: '5 an hour of one account, 5 a day to one number.',
    tag,
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: PhoneInput, example: { phone: '+441632960961' } },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => accounts.requestPhoneCode(ctx, caller, body.phone),
  }),
  route({
    id: 'verifyPhone',
    method: 'POST',
    path: '/v1/users/me/phone/verify',
    summary: 'Verify a phone with the code from the text message',
    tag,
    auth: { access: 'user', scope: 'write:profile' },
    body: { schema: PhoneCodeInput, example: { code: '123456' } },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => accounts.verifyPhone(ctx, caller, body.code),
  }),
  route({
    id: 'getProfile',
    method: 'GET',
    path: '/v1/users/{slug}',
    summary: 'A public profile',
    tag,
    auth: { access: 'anyone' },
    params: Type.Object({ slug: Type.String() }),
    returns: one(PublicProfile),
    problems: ['not-found'],
    cache: { etag: true },
    handle: ({ ctx, params }) => accounts.publicProfile(ctx, params.slug),
  }),
];

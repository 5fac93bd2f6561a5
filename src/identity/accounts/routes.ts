import { Type } from 'typebox';
import { bare, nothing, one, route, type Route } from '../../platform/http/route.ts';
import type { PersonalData } from '../../platform/slice.ts';
import * as accounts from './accounts.ts';
import { eraseAccount, exportPersonalData } from './personal-data.ts';
import { requestPhoneCode, verifyPhone } from './phone.ts';
import {
  PhoneCodeInput,
  PhoneInput,
  PublicProfile,
  RegisterInput,
  User,
  UserUpdateInput,
} from './schema.ts';

const tag = 'Users';

const ownProfile = (id: string, path: string): Route =>
  route({
    id,
    method: 'GET',
    path,
    summary: 'Your own account',
    tag,
    access: 'user',
    scope: 'read:profile',
    returns: one(User),
    handle: async ({ ctx, caller }) => accounts.presentUser(await accounts.ownAccount(ctx, caller)),
  });

/** `holders` is asked for when a person wants their data or to be forgotten. */
export const accountRoutes = (holders: () => PersonalData[]): Route[] => [
  route({
    id: 'register',
    method: 'POST',
    path: '/v1/auth/register',
    summary: 'Open an account',
    description: 'A mail goes out that verifies the address.',
    tag: 'Authentication',
    access: 'anyone',
    ignoresCredentials: true,
    body: RegisterInput,
    example: { email: 'ada@example.org', password: 'correct horse', display_name: 'Ada' },
    returns: one(User, 201),
    problems: ['conflict'],
    handle: async ({ ctx, body }) => accounts.presentUser(await accounts.register(ctx, body)),
  }),
  route({
    id: 'verifyEmail',
    method: 'POST',
    path: '/v1/auth/verify-email',
    summary: 'Verify an email address with the token from the mail',
    tag: 'Authentication',
    access: 'anyone',
    ignoresCredentials: true,
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
    example: { token: 'Zk3Y0cR3q8T1b2V5x7N9aQ' },
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
    access: 'user',
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
    access: 'user',
    scope: 'write:profile',
    body: UserUpdateInput,
    example: { bio: 'Likes rivers.' },
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
    access: 'user',
    body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 200 }) }),
    example: { password: 'correct horse' },
    returns: nothing(),
    problems: ['forbidden'],
    handle: ({ ctx, caller, body }) => eraseAccount(ctx, caller, body.password, holders()),
  }),
  route({
    id: 'exportOwnData',
    method: 'GET',
    path: '/v1/users/me/export',
    summary: 'All that the service holds about you, as one document',
    tag,
    access: 'user',
    returns: bare(
      Type.Object(
        { account: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: true },
      ),
    ),
    handle: ({ ctx, caller }) =>
      exportPersonalData(ctx, caller, holders()) as Promise<{ account: object }>,
  }),
  route({
    id: 'requestPhoneCode',
    method: 'POST',
    path: '/v1/users/me/phone',
    summary: 'Get a code by text message that verifies a phone',
    tag,
    access: 'user',
    scope: 'write:profile',
    body: PhoneInput,
    example: { phone: '+441632960961' },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => requestPhoneCode(ctx, caller, body.phone),
  }),
  route({
    id: 'verifyPhone',
    method: 'POST',
    path: '/v1/users/me/phone/verify',
    summary: 'Verify a phone with the code from the text message',
    tag,
    access: 'user',
    scope: 'write:profile',
    body: PhoneCodeInput,
    example: { code: '123456' },
    returns: nothing(),
    handle: ({ ctx, caller, body }) => verifyPhone(ctx, caller, body.code),
  }),
  route({
    id: 'getProfile',
    method: 'GET',
    path: '/v1/users/{slug}',
    summary: 'A public profile',
    tag,
    access: 'anyone',
    params: Type.Object({ slug: Type.String() }),
    returns: one(PublicProfile),
    problems: ['not-found'],
    etag: true,
    handle: ({ ctx, params }) => accounts.publicProfile(ctx, params.slug),
  }),
];

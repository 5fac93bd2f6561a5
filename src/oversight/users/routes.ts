import { Type } from 'typebox';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { many, one, type Route, routes } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import {
  AdminUser,
  RoleInput,
  SuspensionInput,
  UnsuspensionInput,
  UserListQuery,
} from './schema.ts';
import { restoreUser, suspendUser } from './suspension.ts';
import { changeRole, getUser, listUsers } from './users.ts';

const api = routes('Admin');
const UserRef = Type.Object({ id: idOf('the account') });

export const userRoutes = (sessions: Sessions): Route[] => [
  api.get('/v1/admin/users', {
    id: 'listUsers',
    summary: 'Users, newest first, by name, or by the beginning of their address',
    description: 'For administrators, by the address or the name, not by both.',
    auth: { access: 'admin' },
    query: UserListQuery,
    returns: many(AdminUser),
    handle: ({ ctx, query }) => listUsers(ctx, query),
  }),
  api.post('/v1/admin/users/{id}/suspend', {
    id: 'suspendUser',
    summary: 'Suspend a user',
    description:
      'They can neither log in nor write, and all their tokens and keys are refused on every process within a second.',
    auth: { access: 'admin' },
    params: UserRef,
    body: {
      schema: SuspensionInput,
      isOptional: true,
      example: { reason: 'The same advertisement below fifty petitions.', content: 'hide' },
    },
    returns: one(AdminUser),
    problems: ['not-found'],
    handle: async ({ ctx, caller, params, body }) => {
      await suspendUser(ctx, sessions, caller, params.id, body);
      return getUser(ctx, params.id);
    },
  }),
  api.post('/v1/admin/users/{id}/unsuspend', {
    id: 'unsuspendUser',
    summary: 'End a suspension',
    description:
      'What it hid is shown again; what moderators judged meanwhile stays as they left it.',
    auth: { access: 'admin' },
    params: UserRef,
    body: {
      schema: UnsuspensionInput,
      isOptional: true,
      example: { reason: 'It was another account.' },
    },
    returns: one(AdminUser),
    problems: ['not-found'],
    handle: async ({ ctx, caller, params, body }) => {
      await restoreUser(ctx, sessions, caller, params.id, body);
      return getUser(ctx, params.id);
    },
  }),
  api.patch('/v1/admin/users/{id}', {
    id: 'changeRole',
    summary: 'Give a user another role',
    description:
      'For administrators: `user`, `moderator` or `admin`. It takes effect within a second.',
    auth: { access: 'admin' },
    params: UserRef,
    body: { schema: RoleInput, example: { role: 'moderator' } },
    returns: one(AdminUser),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      changeRole(ctx, sessions, caller, params.id, body.role),
  }),
];

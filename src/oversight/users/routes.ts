import { Type } from 'typebox';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { many, one, route, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import { AdminUser, RoleInput, SuspensionInput, UserListQuery } from './schema.ts';
import { restoreUser, suspendUser } from './suspension.ts';
import { changeRole, getUser, listUsers } from './users.ts';

const tag = 'Admin';
const UserRef = Type.Object({ id: Uuid });

export const userRoutes = (sessions: Sessions): Route[] => [
  route({
    id: 'listUsers',
    method: 'GET',
    path: '/v1/admin/users',
    summary: 'Users, newest first, or by the beginning of their address',
    tag,
    auth: { access: 'admin' },
    query: UserListQuery,
    returns: many(AdminUser),
    handle: ({ ctx, query }) => listUsers(ctx, query),
  }),
  route({
    id: 'suspendUser',
    method: 'POST',
    path: '/v1/admin/users/{id}/suspend',
    summary: 'Suspend a user',
    description:
      'They can neither log in nor write, and all their tokens and keys are refused on every process within a second.',
    tag,
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
  route({
    id: 'unsuspendUser',
    method: 'POST',
    path: '/v1/admin/users/{id}/unsuspend',
    summary: 'End a suspension',
    description:
      'What it hid is shown again; what moderators judged meanwhile stays as they left it.',
    tag,
    auth: { access: 'admin' },
    params: UserRef,
    returns: one(AdminUser),
    problems: ['not-found'],
    handle: async ({ ctx, caller, params }) => {
      await restoreUser(ctx, sessions, caller, params.id);
      return getUser(ctx, params.id);
    },
  }),
  route({
    id: 'changeRole',
    method: 'PATCH',
    path: '/v1/admin/users/{id}',
    summary: 'Give a user another role',
    tag,
    auth: { access: 'admin' },
    params: UserRef,
    body: { schema: RoleInput, example: { role: 'moderator' } },
    returns: one(AdminUser),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      changeRole(ctx, sessions, caller, params.id, body.role),
  }),
];

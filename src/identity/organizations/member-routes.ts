import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import * as members from './members.ts';
import {
  MemberInput,
  MemberListQuery,
  Membership,
  MembershipRef,
  OrganizationRef,
  RoleInput,
} from './schema.ts';

const api = routes('Organizations');

export const memberRoutes: Route[] = [
  api.get('/v1/organizations/{org_id}/members', {
    id: 'listMembers',
    summary: 'The members of an organization, newest first',
    description: 'For members and administrators of the service.',
    auth: { access: 'owner', scope: 'read:profile' },
    params: OrganizationRef,
    query: MemberListQuery,
    returns: many(Membership),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, query }) =>
      members.listMembers(ctx, caller, params.org_id, query),
  }),
  api.post('/v1/organizations/{org_id}/members', {
    id: 'addMember',
    summary: 'Add a member',
    description:
      "By the owner and admins. Beyond the tier's limit: 402 member_limit_reached; somebody who is a member: 409 already_member.",
    auth: { access: 'owner', scope: 'write:profile' },
    params: OrganizationRef,
    body: {
      schema: MemberInput,
      example: { user_id: '01980a1e-7c4b-7d2f-9e7a-3b1c5d8f2a60', role: 'member' },
    },
    returns: one(Membership, 201),
    problems: ['forbidden', 'not-found', 'payment-required', 'conflict'],
    handle: ({ ctx, caller, params, body }) => members.addMember(ctx, caller, params.org_id, body),
  }),
  api.patch('/v1/organizations/{org_id}/members/{membership_id}', {
    id: 'setMemberRole',
    summary: 'Change the role of a member',
    description:
      'Admins make admins of members; only the owner makes members of admins, but for those who step down themselves. The role of the owner passes by transfer only.',
    auth: { access: 'owner', scope: 'write:profile' },
    params: MembershipRef,
    body: { schema: RoleInput, example: { role: 'admin' } },
    returns: one(Membership),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, body }) => members.setRole(ctx, caller, params, body.role),
  }),
  api.delete('/v1/organizations/{org_id}/members/{membership_id}', {
    id: 'removeMember',
    summary: 'Remove a member, or leave',
    description:
      'Admins remove members, the owner admins too, and everybody but the owner may leave.',
    auth: { access: 'owner', scope: 'write:profile' },
    params: MembershipRef,
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => members.removeMember(ctx, caller, params),
  }),
  api.post('/v1/organizations/{org_id}/members/{membership_id}/transfer-ownership', {
    id: 'transferOwnership',
    summary: 'Hand the organization over to an admin',
    description: 'By the owner, who becomes an admin. A member who is no admin: 409 invalid_state.',
    auth: { access: 'owner', scope: 'write:profile' },
    params: MembershipRef,
    returns: one(Membership),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => members.transferOwnership(ctx, caller, params),
  }),
];

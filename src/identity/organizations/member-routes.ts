import { many, nothing, one, route, type Route } from '../../platform/http/route.ts';
import * as members from './members.ts';
import {
  MemberInput,
  MemberListQuery,
  Membership,
  MembershipRef,
  OrganizationRef,
  RoleInput,
} from './schema.ts';

const tag = 'Organizations';

export const memberRoutes: Route[] = [
  route({
    id: 'listMembers',
    method: 'GET',
    path: '/v1/organizations/{org_id}/members',
    summary: 'The members of an organization, newest first',
    description: 'For members and administrators of the service.',
    tag,
    auth: { access: 'owner', scope: 'read:profile' },
    params: OrganizationRef,
    query: MemberListQuery,
    returns: many(Membership),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, query }) =>
      members.listMembers(ctx, caller, params.org_id, query),
  }),
  route({
    id: 'addMember',
    method: 'POST',
    path: '/v1/organizations/{org_id}/members',
    summary: 'Add a member',
    description:
      "By the owner and admins. Beyond the tier's limit: 402 member_limit_reached; somebody who is a member: 409 already_member.",
    tag,
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
  route({
    id: 'setMemberRole',
    method: 'PATCH',
    path: '/v1/organizations/{org_id}/members/{membership_id}',
    summary: 'Change the role of a member',
    description:
      'Admins make admins of members; only the owner makes members of admins, but for those who step down themselves. The role of the owner passes by transfer only.',
    tag,
    auth: { access: 'owner', scope: 'write:profile' },
    params: MembershipRef,
    body: { schema: RoleInput, example: { role: 'admin' } },
    returns: one(Membership),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, body }) => members.setRole(ctx, caller, params, body.role),
  }),
  route({
    id: 'removeMember',
    method: 'DELETE',
    path: '/v1/organizations/{org_id}/members/{membership_id}',
    summary: 'Remove a member, or leave',
    description:
      'Admins remove members, the owner admins too, and everybody but the owner may leave.',
    tag,
    auth: { access: 'owner', scope: 'write:profile' },
    params: MembershipRef,
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => members.removeMember(ctx, caller, params),
  }),
  route({
    id: 'transferOwnership',
    method: 'POST',
    path: '/v1/organizations/{org_id}/members/{membership_id}/transfer-ownership',
    summary: 'Hand the organization over to an admin',
    description: 'By the owner, who becomes an admin. A member who is no admin: 409 invalid_state.',
    tag,
    auth: { access: 'owner', scope: 'write:profile' },
    params: MembershipRef,
    returns: one(Membership),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => members.transferOwnership(ctx, caller, params),
  }),
];

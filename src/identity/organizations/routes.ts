import { many, nothing, one, route, type Route } from '../../platform/http/route.ts';
import * as organizations from './organizations.ts';
import type { OrganizationsDeps } from './organizations.ts';
import {
  Organization,
  OrganizationInput,
  OrganizationListQuery,
  OrganizationRef,
  OrganizationUpdate,
  Subscription,
  SubscriptionUpdate,
} from './schema.ts';

const tag = 'Organizations';

export const organizationRoutes = (needs: OrganizationsDeps): Route[] => [
  route({
    id: 'listOrganizations',
    method: 'GET',
    path: '/v1/organizations',
    summary: 'Organizations, newest first',
    tag,
    auth: { access: 'anyone' },
    query: OrganizationListQuery,
    returns: many(Organization),
    cache: { etag: true },
    handle: ({ ctx, query }) => organizations.listOrganizations(ctx, query),
  }),
  route({
    id: 'createOrganization',
    method: 'POST',
    path: '/v1/organizations',
    summary: 'Found an organization, as its owner',
    description: 'A name that is in use, in whatever case: 409 name_in_use.',
    tag,
    auth: { access: 'user', scope: 'write:profile' },
    body: {
      schema: OrganizationInput,
      example: { name: 'Friends of the River', website: 'https://river.example' },
    },
    returns: one(Organization, 201),
    problems: ['conflict'],
    handle: async ({ ctx, caller, body, header }) => {
      const organization = await organizations.createOrganization(ctx, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/organizations/${organization.slug}`);
      return organization;
    },
  }),
  route({
    id: 'getOrganization',
    method: 'GET',
    path: '/v1/organizations/{org_id}',
    summary: 'The public profile of an organization',
    tag,
    auth: { access: 'anyone' },
    params: OrganizationRef,
    returns: one(Organization),
    problems: ['not-found'],
    cache: { etag: true },
    handle: async ({ ctx, params }) =>
      organizations.presentOrganization(await organizations.getOrganizationRow(ctx, params.org_id)),
  }),
  route({
    id: 'updateOrganization',
    method: 'PATCH',
    path: '/v1/organizations/{org_id}',
    summary: 'Change an organization',
    description:
      'By its owner and admins. Members that are left out stay as they are; null clears all but the name. The slug never changes. With another name or website it is no longer verified.',
    tag,
    auth: { access: 'owner', scope: 'write:profile' },
    params: OrganizationRef,
    body: {
      schema: OrganizationUpdate,
      example: { description: 'We keep the path along the river open.' },
    },
    returns: one(Organization),
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: ({ ctx, caller, params, body }) =>
      organizations.updateOrganization(ctx, caller, params.org_id, body),
  }),
  route({
    id: 'deleteOrganization',
    method: 'DELETE',
    path: '/v1/organizations/{org_id}',
    summary: 'Delete an organization',
    description: 'By its owner. Its petitions stay, without it.',
    tag,
    auth: { access: 'owner', scope: 'write:profile' },
    params: OrganizationRef,
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) =>
      organizations.deleteOrganization(ctx, caller, params.org_id, needs),
  }),
  route({
    id: 'getSubscription',
    method: 'GET',
    path: '/v1/organizations/{org_id}/subscription',
    summary: 'What the organization may do, and until when',
    description: 'For its members and administrators of the service.',
    tag,
    auth: { access: 'owner', scope: 'read:profile' },
    params: OrganizationRef,
    returns: one(Subscription),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => organizations.getSubscription(ctx, caller, params.org_id),
  }),
  route({
    id: 'administerOrganization',
    method: 'PATCH',
    path: '/v1/admin/organizations/{org_id}',
    summary: 'Set the tier and subscription of an organization, and whether it is verified',
    description: 'A lower tier takes no members away; none can be added until there is room.',
    tag: 'Admin',
    auth: { access: 'admin' },
    params: OrganizationRef,
    body: {
      schema: SubscriptionUpdate,
      example: { tier: 'pro', verified: true, current_period_end: '2027-01-31T00:00:00Z' },
    },
    returns: one(Organization),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      organizations.administerOrganization(ctx, caller, params.org_id, body),
  }),
];

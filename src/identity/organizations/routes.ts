import type { Context } from '../../platform/context.ts';
import { preconditionOf } from '../../platform/http/preconditions.ts';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import * as organizations from './organizations.ts';
import type { OrganizationsDeps } from './organizations.ts';
import {
  Organization,
  OrganizationInput,
  OrganizationListQuery,
  OrganizationRef,
  OrganizationUpdate,
  RenderedOrganization,
  Subscription,
  SubscriptionUpdate,
} from './schema.ts';

const api = routes('Organizations');
const adminApi = routes('Admin');

export const organizationRoutes = (deps: OrganizationsDeps): Route[] => [
  api.get('/v1/organizations', {
    id: 'listOrganizations',
    summary: 'Organizations, newest first',
    description: 'Those that were verified can be asked for alone.',
    auth: { access: 'anyone' },
    query: OrganizationListQuery,
    returns: many(Organization),
    cache: { etag: true },
    handle: ({ ctx, query }) => organizations.listOrganizations(ctx, query),
  }),
  api.post('/v1/organizations', {
    id: 'createOrganization',
    summary: 'Found an organization, as its owner',
    description: 'A name that is in use, in whatever case: 409 name_in_use.',
    auth: { access: 'user', scope: 'write:profile' },
    body: {
      schema: OrganizationInput,
      example: { name: 'Friends of the River', website: 'https://river.example' },
    },
    returns: one(RenderedOrganization, 201),
    problems: ['conflict'],
    handle: async ({ ctx, caller, body, header }) => {
      const organization = await organizations.createOrganization(ctx, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/organizations/${organization.slug}`);
      return present(ctx, organization);
    },
  }),
  api.get('/v1/organizations/{org_id}', {
    id: 'getOrganization',
    summary: 'The public profile of an organization',
    description: 'By id or slug. Its members are listed for members only.',
    auth: { access: 'anyone' },
    params: OrganizationRef,
    returns: one(RenderedOrganization),
    revision: organizations.organizationRevision,
    problems: ['not-found'],
    cache: { etag: true },
    handle: async ({ ctx, params }) =>
      present(ctx, await organizations.getOrganizationRow(ctx, params.org_id)),
  }),
  api.patch('/v1/organizations/{org_id}', {
    id: 'updateOrganization',
    summary: 'Change an organization',
    description:
      'By its owner and admins. Members that are left out stay as they are; null clears all but the name. The slug never changes. With another name or website it is no longer verified.',
    auth: { access: 'owner', scope: 'write:profile' },
    params: OrganizationRef,
    body: {
      schema: OrganizationUpdate,
      example: { description: 'We keep the path along the river open.' },
    },
    returns: one(RenderedOrganization),
    revision: organizations.organizationRevision,
    problems: ['forbidden', 'not-found', 'conflict'],
    handle: async ({ ctx, caller, params, body, headers }) => {
      const { org_id: ref } = params;
      const precondition = preconditionOf(headers, organizations.organizationRevision);
      return present(
        ctx,
        await organizations.updateOrganization(ctx, caller, ref, body, precondition),
      );
    },
  }),
  api.delete('/v1/organizations/{org_id}', {
    id: 'deleteOrganization',
    summary: 'Delete an organization',
    description: 'By its owner. Its petitions stay, without it.',
    auth: { access: 'owner', scope: 'write:profile' },
    params: OrganizationRef,
    returns: nothing(),
    revision: organizations.organizationRevision,
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, headers }) => {
      const precondition = preconditionOf(headers, organizations.organizationRevision);
      return organizations.deleteOrganization(ctx, caller, params.org_id, deps, precondition);
    },
  }),
  api.get('/v1/organizations/{org_id}/subscription', {
    id: 'getSubscription',
    summary: 'What the organization may do, and until when',
    description: 'For its members and administrators of the service.',
    auth: { access: 'owner', scope: 'read:profile' },
    params: OrganizationRef,
    returns: one(Subscription),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params }) => organizations.getSubscription(ctx, caller, params.org_id),
  }),
  adminApi.patch('/v1/admin/organizations/{org_id}', {
    id: 'administerOrganization',
    summary: 'Set the tier and subscription of an organization, and whether it is verified',
    description: 'A lower tier takes no members away; none can be added until there is room.',
    auth: { access: 'admin' },
    params: OrganizationRef,
    body: {
      schema: SubscriptionUpdate,
      example: { tier: 'pro', verified: true, current_period_end: '2027-01-31T00:00:00Z' },
    },
    returns: one(RenderedOrganization),
    problems: ['not-found'],
    handle: async ({ ctx, caller, params, body }) =>
      present(ctx, await organizations.administerOrganization(ctx, caller, params.org_id, body)),
  }),
];

const present = (ctx: Context, organization: Organization): RenderedOrganization => {
  const { description } = organization;
  const html = description === null ? null : renderMarkdown(description, ctx.config).text;
  return { ...organization, description_html: html };
};

import { Type } from 'typebox';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import type { Sessions } from '../sessions/sessions.ts';
import * as clients from './clients.ts';
import { listGrants, withdrawGrant } from './grants.ts';
import { IdParam, OAuthClient, OAuthClientInput, OAuthClientUpdate, OAuthGrant } from './schema.ts';

const api = routes('OAuth 2.0');
const PageQuery = Type.Object(pageQuery);
const example = {
  name: 'River Watch',
  redirect_uris: ['https://river-watch.example/callback'],
  confidential: true,
  scopes: ['read:petitions', 'write:signatures'],
};

/** Routes with which users manage their own applications and their grants to others. */
export const managementRoutes = (sessions: Sessions): Route[] => [
  api.get('/v1/oauth/clients', {
    id: 'listOAuthClients',
    summary: 'Your applications, newest first',
    description:
      'Applications and grants are a person’s own: a key that acts for an organization is refused.',
    auth: { access: 'user', denyOrganizationKeys: true },
    query: PageQuery,
    returns: many(OAuthClient),
    handle: ({ ctx, caller, query }) => clients.listClients(ctx, caller, query),
  }),
  api.post('/v1/oauth/clients', {
    id: 'registerOAuthClient',
    summary: 'Register an application',
    description: 'The answer contains the secret of a confidential one, which is not shown again.',
    auth: { access: 'user', denyOrganizationKeys: true },
    body: { schema: OAuthClientInput, example },
    returns: one(OAuthClient, 201),
    handle: async ({ ctx, caller, body, header }) => {
      const client = await clients.registerClient(ctx, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/oauth/clients/${client.id}`);
      header('cache-control', 'no-store');
      return client;
    },
  }),
  api.get('/v1/oauth/clients/{id}', {
    id: 'getOAuthClient',
    summary: 'One of your applications',
    description: 'Without its secret, which is shown when it is registered and rotated only.',
    auth: { access: 'owner', denyOrganizationKeys: true },
    params: IdParam,
    returns: one(OAuthClient),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => clients.getClient(ctx, caller, params.id),
  }),
  api.patch('/v1/oauth/clients/{id}', {
    id: 'changeOAuthClient',
    summary: 'Change one of your applications',
    description:
      'Members that are left out stay as they are. A removed scope is missing from tokens after the next refresh.',
    auth: { access: 'owner', denyOrganizationKeys: true },
    params: IdParam,
    body: { schema: OAuthClientUpdate, example: { name: 'River Watch 2' } },
    returns: one(OAuthClient),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) => clients.changeClient(ctx, caller, params.id, body),
  }),
  api.post('/v1/oauth/clients/{id}/rotate-secret', {
    id: 'rotateOAuthClientSecret',
    summary: 'Give a confidential application another secret',
    description: 'The old one becomes invalid. Issued tokens stay valid.',
    auth: { access: 'owner', denyOrganizationKeys: true },
    params: IdParam,
    returns: one(OAuthClient),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, header }) => {
      header('cache-control', 'no-store');
      return clients.rotateSecret(ctx, caller, params.id);
    },
  }),
  api.delete('/v1/oauth/clients/{id}', {
    id: 'deleteOAuthClient',
    summary: 'Delete one of your applications',
    description: 'Every token that it holds ends, on every process within a second.',
    auth: { access: 'owner', denyOrganizationKeys: true },
    params: IdParam,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => clients.deleteClient(ctx, sessions, caller, params.id),
  }),
  api.get('/v1/oauth/grants', {
    id: 'listOAuthGrants',
    summary: 'The applications that you have granted access',
    description:
      'Each with its scopes and the time of its last use. `DELETE /v1/oauth/grants/{id}` withdraws one.',
    auth: { access: 'user', denyOrganizationKeys: true },
    query: PageQuery,
    returns: many(OAuthGrant),
    handle: ({ ctx, caller, query }) => listGrants(ctx, caller, query),
  }),
  api.delete('/v1/oauth/grants/{id}', {
    id: 'withdrawOAuthGrant',
    summary: 'Withdraw the access of an application',
    description: 'Every token that it holds for you ends, on every process within a second.',
    auth: { access: 'owner', denyOrganizationKeys: true },
    params: IdParam,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => withdrawGrant(ctx, sessions, caller, params.id),
  }),
];

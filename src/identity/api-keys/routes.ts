import { Type } from 'typebox';
import { many, nothing, one, route, type Route } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import * as apiKeys from './api-keys.ts';
import type { KeyCallers } from './key-callers.ts';
import { ApiKey, ApiKeyInput, ApiKeyRef, ApiKeyUpdate, ApiKeyWithSecret } from './schema.ts';

const tag = 'API keys';

export const apiKeyRoutes = (callers: KeyCallers): Route[] => [
  route({
    id: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'Your API keys, newest first',
    description: 'A key that acts for an organization accesses keys of that organization only.',
    tag,
    auth: { access: 'user' },
    query: Type.Object(pageQuery),
    returns: many(ApiKey),
    handle: ({ ctx, caller, query }) => apiKeys.listKeys(ctx, callers, caller, query),
  }),
  route({
    id: 'createApiKey',
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key',
    description:
      'The key is shown only here. You can have 50. One that acts for an organization is valid as long as you are owner or admin there.',
    tag,
    auth: { access: 'user' },
    body: { schema: ApiKeyInput, example: { name: 'Nightly export', scopes: ['read'] } },
    returns: one(ApiKeyWithSecret, 201),
    problems: ['forbidden', 'conflict'],
    handle: async ({ ctx, caller, body, header }) => {
      const created = await apiKeys.createKey(ctx, callers, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/api-keys/${created.id}`);
      header('cache-control', 'no-store');
      return created;
    },
  }),
  route({
    id: 'getApiKey',
    method: 'GET',
    path: '/v1/api-keys/{id}',
    summary: 'One of your API keys',
    tag,
    auth: { access: 'owner' },
    params: ApiKeyRef,
    returns: one(ApiKey),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => apiKeys.getKey(ctx, callers, caller, params.id),
  }),
  route({
    id: 'updateApiKey',
    method: 'PATCH',
    path: '/v1/api-keys/{id}',
    summary: 'Rename an API key, or change its scopes',
    tag,
    auth: { access: 'owner' },
    params: ApiKeyRef,
    body: { schema: ApiKeyUpdate, example: { name: 'Nightly export', scopes: ['read_write'] } },
    returns: one(ApiKey),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      apiKeys.updateKey(ctx, callers, caller, params.id, body),
  }),
  route({
    id: 'deleteApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    summary: 'Revoke an API key for good',
    description:
      'It is refused on every process within a second, and so are those that it replaced.',
    tag,
    auth: { access: 'owner' },
    params: ApiKeyRef,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => apiKeys.deleteKey(ctx, callers, caller, params.id),
  }),
  route({
    id: 'rotateApiKey',
    method: 'POST',
    path: '/v1/api-keys/{id}/rotate',
    summary: 'Replace an API key by a new one',
    description:
      'Its id and settings stay. The old key is valid for another 24 hours, even if the new one is rotated. At most 50 times in 24 hours.',
    tag,
    auth: { access: 'owner' },
    params: ApiKeyRef,
    returns: one(ApiKeyWithSecret),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params, header }) => {
      header('cache-control', 'no-store');
      return apiKeys.rotateKey(ctx, callers, caller, params.id);
    },
  }),
];

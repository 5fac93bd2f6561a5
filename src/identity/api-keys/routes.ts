import { Type } from 'typebox';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import * as apiKeys from './api-keys.ts';
import type { KeyCallers } from './key-callers.ts';
import { ApiKey, ApiKeyInput, ApiKeyRef, ApiKeyUpdate, ApiKeyWithSecret } from './schema.ts';

const api = routes('API keys');

export const apiKeyRoutes = (callers: KeyCallers): Route[] => [
  api.get('/v1/api-keys', {
    id: 'listApiKeys',
    summary: 'Your API keys, newest first',
    description: 'A key that acts for an organization accesses keys of that organization only.',
    auth: { access: 'user' },
    query: Type.Object(pageQuery),
    returns: many(ApiKey),
    handle: ({ ctx, caller, query }) => apiKeys.listKeys(ctx, callers, caller, query),
  }),
  api.post('/v1/api-keys', {
    id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'The key is shown only here. You can have 50. One that acts for an organization is valid as long as you are owner or admin there.',
    auth: { access: 'user' },
    body: { schema: ApiKeyInput, example: { name: 'Nightly export', scopes: ['read'] } },
    returns: one(ApiKeyWithSecret, 201),
    problems: ['forbidden', 'conflict', 'not-implemented'],
    handle: async ({ ctx, caller, body, header }) => {
      const created = await apiKeys.createKey(ctx, callers, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/api-keys/${created.id}`);
      header('cache-control', 'no-store');
      return created;
    },
  }),
  api.get('/v1/api-keys/{id}', {
    id: 'getApiKey',
    summary: 'One of your API keys',
    description: 'Without the key itself, which is shown when it is created and rotated only.',
    auth: { access: 'owner' },
    params: ApiKeyRef,
    returns: one(ApiKey),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => apiKeys.getKey(ctx, callers, caller, params.id),
  }),
  api.patch('/v1/api-keys/{id}', {
    id: 'updateApiKey',
    summary: 'Rename an API key, or change its scopes',
    description: 'Members that are left out stay as they are. Narrower scopes take effect at once.',
    auth: { access: 'owner' },
    params: ApiKeyRef,
    body: { schema: ApiKeyUpdate, example: { name: 'Nightly export', scopes: ['read_write'] } },
    returns: one(ApiKey),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, body }) =>
      apiKeys.updateKey(ctx, callers, caller, params.id, body),
  }),
  api.delete('/v1/api-keys/{id}', {
    id: 'deleteApiKey',
    summary: 'Revoke an API key for good',
    description:
      'It is refused on every process within a second, and so are those that it replaced.',
    auth: { access: 'owner' },
    params: ApiKeyRef,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => apiKeys.deleteKey(ctx, callers, caller, params.id),
  }),
  api.post('/v1/api-keys/{id}/rotate', {
    id: 'rotateApiKey',
    summary: 'Replace an API key by a new one',
    description:
      'Its id and settings stay. The old key is valid for another 24 hours, even if the new one is rotated. At most 50 times in 24 hours.',
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

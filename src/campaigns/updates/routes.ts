import { many, nothing, one, route, type Route } from '../../platform/http/route.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import { Update, UpdateChanges, UpdateInput, UpdateListQuery, UpdateRef } from './schema.ts';
import * as updates from './updates.ts';

const tag = 'Updates';

export const updateRoutes: Route[] = [
  route({
    id: 'listUpdates',
    method: 'GET',
    path: '/v1/petitions/{id}/updates',
    summary: 'News on a petition, newest first',
    tag,
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: UpdateListQuery,
    returns: many(Update),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => updates.listUpdates(ctx, caller, params.id, query),
  }),
  route({
    id: 'postUpdate',
    method: 'POST',
    path: '/v1/petitions/{id}/updates',
    summary: 'Post news on your petition',
    description:
      'On petitions that are active, closed or victorious. Signers are notified, so you can post 100 a day.',
    tag,
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    body: {
      schema: UpdateInput,
      example: {
        title: 'The council has put us on the agenda',
        body: 'On the third of May at seven, in the town hall. Come if you can!',
      },
    },
    returns: one(Update, 201),
    problems: ['not-found', 'conflict'],
    handle: async ({ ctx, caller, params, body, header }) => {
      const update = await updates.postUpdate(ctx, caller, params.id, body);
      header('location', `${ctx.config.baseUrl}/v1/updates/${update.id}`);
      return update;
    },
  }),
  route({
    id: 'getUpdate',
    method: 'GET',
    path: '/v1/updates/{id}',
    summary: 'One piece of news on a petition',
    tag,
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: UpdateRef,
    query: AccessCodeQuery,
    returns: one(Update),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) =>
      updates.getUpdate(ctx, caller, { id: params.id, code: query.access_code }),
  }),
  route({
    id: 'changeUpdate',
    method: 'PATCH',
    path: '/v1/updates/{id}',
    summary: 'Change news on your petition',
    description: 'Signers are not notified again. null clears image_url.',
    tag,
    auth: { access: 'owner', scope: 'write:petitions' },
    params: UpdateRef,
    query: AccessCodeQuery,
    body: { schema: UpdateChanges, example: { title: 'The council hears us on the third of May' } },
    returns: one(Update),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query, body }) =>
      updates.changeUpdate(ctx, caller, { id: params.id, code: query.access_code }, body),
  }),
  route({
    id: 'deleteUpdate',
    method: 'DELETE',
    path: '/v1/updates/{id}',
    summary: 'Delete news on a petition',
    description: 'By the creator of the petition and moderators.',
    tag,
    auth: { access: 'owner', scope: 'write:petitions' },
    params: UpdateRef,
    query: AccessCodeQuery,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) =>
      updates.deleteUpdate(ctx, caller, { id: params.id, code: query.access_code }),
  }),
];

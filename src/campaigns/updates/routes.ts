import { preconditionOf } from '../../platform/http/preconditions.ts';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import {
  RenderedUpdate,
  Update,
  UpdateChanges,
  UpdateDeletionInput,
  UpdateInput,
  UpdateListQuery,
  UpdateRef,
} from './schema.ts';
import * as updates from './updates.ts';

const api = routes('Updates');

export const updateRoutes: Route[] = [
  api.get('/v1/petitions/{id}/updates', {
    id: 'listUpdates',
    summary: 'News on a petition, newest first',
    description: 'As its creator wrote them, in Markdown. `GET /v1/updates/{id}` has the HTML too.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: UpdateListQuery,
    returns: many(Update),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) => updates.listUpdates(ctx, caller, params.id, query),
  }),
  api.post('/v1/petitions/{id}/updates', {
    id: 'postUpdate',
    summary: 'Post news on your petition',
    description:
      'On petitions that are active, closed or victorious. Signers are notified, so you can post 100 a day.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: PetitionRef,
    body: {
      schema: UpdateInput,
      example: {
        title: 'The council has put us on the agenda',
        body: 'On the third of May at seven, in the town hall. Come if you can!',
      },
    },
    returns: one(RenderedUpdate, 201),
    problems: ['not-found', 'conflict'],
    handle: async ({ ctx, caller, params, body, header }) => {
      const update = await updates.postUpdate(ctx, caller, params.id, body);
      header('location', `${ctx.config.baseUrl}/v1/updates/${update.id}`);
      return update;
    },
  }),
  api.get('/v1/updates/{id}', {
    id: 'getUpdate',
    summary: 'One piece of news on a petition',
    description: 'With its text as HTML, in `body_html`.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: UpdateRef,
    query: AccessCodeQuery,
    returns: one(RenderedUpdate),
    revision: updates.updateRevision,
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: ({ ctx, caller, params, query }) =>
      updates.getUpdate(ctx, caller, { id: params.id, code: query.access_code }),
  }),
  api.patch('/v1/updates/{id}', {
    id: 'changeUpdate',
    summary: 'Change news on your petition',
    description:
      'Signers are not notified again. null clears image_url and image_alt. A new picture without image_alt has none.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: UpdateRef,
    query: AccessCodeQuery,
    body: { schema: UpdateChanges, example: { title: 'The council hears us on the third of May' } },
    returns: one(RenderedUpdate),
    revision: updates.updateRevision,
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query, body, headers }) => {
      const reference = { id: params.id, code: query.access_code };
      const precondition = preconditionOf(headers, updates.updateRevision);
      return updates.changeUpdate(ctx, caller, reference, body, precondition);
    },
  }),
  api.delete('/v1/updates/{id}', {
    id: 'deleteUpdate',
    summary: 'Delete news on a petition',
    description:
      'By the creator of the petition and moderators. The creator is told of an act of a moderator, with the reason.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: UpdateRef,
    query: AccessCodeQuery,
    body: {
      schema: UpdateDeletionInput,
      isOptional: true,
      example: { reason: 'It names a private person.' },
    },
    returns: nothing(),
    revision: updates.updateRevision,
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query, body: { reason }, headers }) => {
      const reference = { id: params.id, code: query.access_code };
      const precondition = preconditionOf(headers, updates.updateRevision);
      return updates.deleteUpdate(ctx, caller, reference, { reason, precondition });
    },
  }),
];

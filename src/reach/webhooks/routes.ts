import { Type } from 'typebox';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import { LoggedEvent } from './described-events.ts';
import { listEvents } from './event-log.ts';
import {
  Delivery,
  DeliveryListQuery,
  DeliveryRef,
  EventLogQuery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookInput,
  WebhookRef,
  WebhookUpdate,
} from './schema.ts';
import * as webhooks from './webhooks.ts';

const api = routes('Webhooks');

export const webhookRoutes: Route[] = [
  api.get('/v1/webhooks', {
    id: 'listWebhooks',
    summary: 'Your webhook endpoints, newest first',
    description: 'Without their secrets, which are shown when they are created and rotated only.',
    auth: { access: 'user' },
    query: Type.Object(pageQuery),
    returns: many(WebhookEndpoint),
    handle: ({ ctx, caller, query }) => webhooks.listEndpoints(ctx, caller, query),
  }),
  api.post('/v1/webhooks', {
    id: 'createWebhook',
    summary: 'Have events sent to an address',
    description:
      'Events of petitions that you created, and, from publication on, of organizations where you are owner or admin; an endpoint made by the key of an organization gets those of the organization only. The secret is shown only here. In production the address must be https and public: private addresses are refused, and every delivery checks what the host name resolves to.',
    auth: { access: 'user' },
    body: {
      schema: WebhookInput,
      example: {
        url: 'https://example.org/petitions',
        events: ['signature.created', 'petition.victory'],
      },
    },
    returns: one(WebhookEndpointWithSecret, 201),
    problems: ['conflict', 'forbidden'],
    handle: async ({ ctx, caller, body, header }) => {
      const endpoint = await webhooks.createEndpoint(ctx, caller, body);
      header('location', `${ctx.config.baseUrl}/v1/webhooks/${endpoint.id}`);
      return endpoint;
    },
  }),
  api.get('/v1/webhooks/{id}', {
    id: 'getWebhook',
    summary: 'One of your webhook endpoints',
    description: '`GET /v1/webhooks/{id}/deliveries` lists what was sent to it.',
    auth: { access: 'owner' },
    params: WebhookRef,
    returns: one(WebhookEndpoint),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => webhooks.ownEndpoint(ctx, caller, params.id),
  }),
  api.patch('/v1/webhooks/{id}', {
    id: 'updateWebhook',
    summary: 'Change a webhook endpoint, or switch it on or off',
    description:
      'Deliveries that are due while it is off fail; GET /v1/events returns the missed events.',
    auth: { access: 'owner' },
    params: WebhookRef,
    body: { schema: WebhookUpdate, example: { events: ['signature.created'], is_active: true } },
    returns: one(WebhookEndpoint),
    problems: ['not-found', 'forbidden'],
    handle: ({ ctx, caller, params, body }) =>
      webhooks.updateEndpoint(ctx, caller, params.id, body),
  }),
  api.delete('/v1/webhooks/{id}', {
    id: 'deleteWebhook',
    summary: 'Delete a webhook endpoint and its history',
    description: 'Deliveries that wait are not sent.',
    auth: { access: 'owner' },
    params: WebhookRef,
    returns: nothing(),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => webhooks.deleteEndpoint(ctx, caller, params.id),
  }),
  api.post('/v1/webhooks/{id}/rotate-secret', {
    id: 'rotateWebhookSecret',
    summary: 'Give a webhook endpoint another secret',
    description: 'For 24 hours deliveries carry two signatures, that of the new secret first.',
    auth: { access: 'owner' },
    params: WebhookRef,
    returns: one(WebhookEndpointWithSecret),
    problems: ['not-found'],
    handle: ({ ctx, caller, params }) => webhooks.rotateSecret(ctx, caller, params.id),
  }),
  api.post('/v1/webhooks/{id}/test', {
    id: 'testWebhook',
    summary: 'Send a webhook.test event to an endpoint',
    description:
      'Delivered and signed like any other, so that you can try your endpoint. The answer is the delivery.',
    auth: { access: 'owner' },
    params: WebhookRef,
    returns: one(Delivery, 201),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => webhooks.sendTest(ctx, caller, params.id),
  }),
  api.get('/v1/webhooks/{id}/deliveries', {
    id: 'listWebhookDeliveries',
    summary: 'What was sent to an endpoint, newest first',
    description: 'Kept for 30 days.',
    auth: { access: 'owner' },
    params: WebhookRef,
    query: DeliveryListQuery,
    returns: many(Delivery),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) =>
      webhooks.listDeliveries(ctx, caller, params.id, query),
  }),
  api.post('/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
    id: 'redeliverWebhook',
    summary: 'Send the event of a delivery again',
    description: 'As a new delivery with the same event id and body.',
    auth: { access: 'owner' },
    params: DeliveryRef,
    returns: one(Delivery, 201),
    problems: ['not-found', 'conflict'],
    handle: ({ ctx, caller, params }) => webhooks.redeliver(ctx, caller, params),
  }),
  api.get('/v1/events', {
    id: 'listEvents',
    summary: 'What happened to your petitions, oldest first',
    description:
      'Of those that you created, and, from publication on, of organizations where you are owner or admin. The bodies that webhook endpoints get, of all kinds, for 30 days, so that a receiver that was away catches up: pass the id of the last event that it has as `after`. An event shows as soon as those before it are settled, within a moment.',
    auth: { access: 'user' },
    query: EventLogQuery,
    returns: many(LoggedEvent),
    handle: ({ ctx, caller, query }) => listEvents(ctx, caller, query),
  }),
];

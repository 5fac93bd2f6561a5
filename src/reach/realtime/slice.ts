import { Type } from 'typebox';
import type { Context } from '../../platform/context.ts';
import type { Authenticate } from '../../platform/http/admission.ts';
import { bare, raw, routes } from '../../platform/http/route.ts';
import { upgradeRequired } from '../../platform/http/upgrades.ts';
import type { Slice } from '../../platform/slice.ts';
import { AccessCodeQuery, PetitionRef } from '../../campaigns/petitions/schema.ts';
import { authorizationOf, Connections } from './connections.ts';
import { Realtime, streamScript } from './realtime.ts';
import { RealtimeMessage } from './schema.ts';

const api = routes('Real time');

export function realtimeSlice(ctx: Context, authenticate: Authenticate): Slice {
  const realtime = new Realtime(ctx, authenticate);
  const connections = new Connections(ctx, realtime, authenticate);
  return {
    assets: [streamScript],
    upgrades: {
      '/v1/realtime': (...upgrade) => connections.upgrade(...upgrade),
    },
    closeConnections: () => connections.shutDown(),
    start: async () => connections.start(),
    async stop() {
      connections.stop();
      await realtime.stop();
    },
    routes: [
      api.get('/v1/realtime', {
        id: 'connectRealtime',
        summary: 'The WebSocket on which petitions are followed',
        description:
          'Send `{"type": "subscribe", "petition_id"}`, with `access_code` or `access_token` for a private petition and with `since` to receive what you missed; `unsubscribe`; `ping`. You receive RealtimeMessage, at most four times a second for each petition, `unsubscribed`, `pong`, and `error` with `code` and `message`. Clients that read too slowly are disconnected. A request without an upgrade is answered 426.',
        auth: { access: 'anyone', scope: 'read:petitions' },
        returns: bare(RealtimeMessage, 101),
        problems: ['upgrade-required'],
        handle: () => {
          throw upgradeRequired('websocket');
        },
      }),
      api.get('/v1/petitions/{id}/events', {
        id: 'followPetition',
        summary: 'Follow a petition by server-sent events',
        description:
          'The same messages as on the WebSocket: `event` is the type, `data` the message, `id` where to resume from, which clients send as Last-Event-ID by themselves.',
        auth: { access: 'anyone', scope: 'read:petitions' },
        params: PetitionRef,
        query: Type.Object({
          ...AccessCodeQuery.properties,
          since: Type.Optional(Type.String({ maxLength: 50, description: 'As Last-Event-ID.' })),
        }),
        returns: raw('text/event-stream'),
        problems: ['forbidden', 'not-found'],
        async handle({ params, query, headers, header, ip }) {
          const { 'last-event-id': lastEventId } = headers;
          const authorization = authorizationOf(headers);
          const since = query.since ?? [lastEventId].flat()[0];
          const credentials = { authorization, code: query.access_code, ip };
          const body = await connections.stream(params.id, credentials, since);
          header('cache-control', 'no-store');
          // Without it, nginx and other proxies hold events until a buffer is full.
          header('x-accel-buffering', 'no');
          return { mediaType: 'text/event-stream', body };
        },
      }),
    ],
  };
}

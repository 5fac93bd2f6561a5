import { Type, type Static } from 'typebox';
import { named, oneOf, Uuid } from '../../platform/http/schema.ts';
import { Signature } from '../../campaigns/signatures/schema.ts';

/** A message that clients send on the WebSocket. */
export const ClientMessage = Type.Object({
  type: oneOf(['subscribe', 'unsubscribe', 'ping']),
  petition_id: Type.Optional(Type.String({ description: 'Id or slug.', maxLength: 200 })),
  access_code: Type.Optional(
    Type.String({ maxLength: 100, description: 'Opens a private petition.' }),
  ),
  access_token: Type.Optional(
    Type.String({
      maxLength: 5000,
      description: 'For clients that cannot send an Authorization header, such as browsers.',
    }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: 50, description: '`id` of the last message that was received.' }),
  ),
});
export type ClientMessage = Static<typeof ClientMessage>;

/** A message that watchers of a petition receive, by WebSocket or server-sent event. */
export const RealtimeMessage = named(
  'RealtimeMessage',
  Type.Object({
    type: oneOf([
      'subscribed',
      'signature.created',
      'signature.removed',
      'signature.milestone',
      'petition.closed',
      'petition.victory',
      'update.created',
    ]),
    id: Type.String({ description: 'Where to resume from: `since`, or Last-Event-ID.' }),
    petition_id: Uuid,
    signature_count: Type.Integer({ description: 'The newest count.' }),
    resumed: Type.Optional(
      Type.Boolean({ description: 'Of subscribed: what was missed follows, folded.' }),
    ),
    added: Type.Optional(Type.Integer({ description: 'Signatures that came since the last one.' })),
    signatures: Type.Optional(
      Type.Array(Signature, {
        maxItems: 20,
        description: 'The newest of them; empty where the list of signatures is not public.',
      }),
    ),
    removed: Type.Optional(Type.Integer({ description: 'Signatures that went.' })),
    threshold: Type.Optional(Type.Integer({ description: 'Of the milestone.' })),
    update_id: Type.Optional(Uuid),
  }),
);
export type RealtimeMessage = Static<typeof RealtimeMessage>;

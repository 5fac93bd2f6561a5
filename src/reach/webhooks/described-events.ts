import { Type, type TSchema } from 'typebox';
import { named, nullable, Timestamp, Uuid } from '../../platform/http/schema.ts';
import type { Webhook } from '../../platform/http/openapi-webhooks.ts';
import { DecisionMakerResponse } from '../../campaigns/decision-makers/schema.ts';
import { PetitionRecord } from '../../campaigns/petitions/schema.ts';
import { Signature } from '../../campaigns/signatures/schema.ts';
import { Update } from '../../campaigns/updates/schema.ts';
import { Payment } from '../payments/schema.ts';
import { EventBody, testEvent, type PublicEventType, type WebhookEventType } from './schema.ts';

interface EventDescription {
  summary: string;
  description: string;
  /** The schema of `data`. */
  data: TSchema;
}

const SignatureCount = Type.Integer({ description: 'Of the petition, at the event.' });

const { access_code: _, ...shownPetition } = PetitionRecord.properties;
const petitionData = Type.Union([
  named('PetitionEventData', Type.Object({ petition_id: Uuid, ...shownPetition })),
  named(
    'DeletedPetition',
    Type.Object(
      { petition_id: Uuid },
      { description: 'Of a petition that was deleted before its event was sent.' },
    ),
  ),
]);
const petitionText =
  '`data` is the petition, in the state that the event gave it, without what only its creator may see.';

const SignatureEventData = named(
  'SignatureEventData',
  Type.Object({ petition_id: Uuid, ...Signature.properties, signature_count: SignatureCount }),
);

const RemovedSignature = named(
  'RemovedSignature',
  Type.Object({ petition_id: Uuid, signature_id: Uuid, signature_count: SignatureCount }),
);

const MilestoneReached = named(
  'MilestoneReached',
  Type.Object({
    petition_id: Uuid,
    threshold: Type.Integer({ description: 'The milestone: 100, 500, 1,000 …, or the goal.' }),
    signature_count: SignatureCount,
  }),
);

const DeletedObject = named(
  'DeletedObject',
  Type.Object(
    { petition_id: nullable(Uuid), id: Uuid },
    { description: 'Of an object that was deleted before its event was sent.' },
  ),
);
const orDeleted = (schema: TSchema) => Type.Union([schema, DeletedObject]);

const TestData = Type.Object({ endpoint_id: Uuid });

const publicEvents: Record<PublicEventType, EventDescription> = {
  'petition.created': {
    summary: 'A draft was created',
    description: petitionText,
    data: petitionData,
  },
  'petition.updated': {
    summary: 'The text or the settings of a petition changed',
    description: petitionText,
    data: petitionData,
  },
  'petition.published': {
    summary: 'Everybody can see a petition',
    description: petitionText,
    data: petitionData,
  },
  'petition.closed': {
    summary: 'A petition was closed',
    description: petitionText,
    data: petitionData,
  },
  'petition.victory': { summary: 'A petition won', description: petitionText, data: petitionData },
  'signature.created': {
    summary: 'Somebody signed',
    description:
      '`data` is the signature as lists show it. Where the signer is hidden, it has neither profile nor comment.',
    data: SignatureEventData,
  },
  'signature.milestone': {
    summary: 'A petition reached 100, 500, 1,000 … signatures, or its goal',
    description: '`threshold` is the milestone.',
    data: MilestoneReached,
  },
  'signature.removed': {
    summary: 'A signature was withdrawn or removed',
    description: 'Names the signature only: what was withdrawn is not shown any more.',
    data: RemovedSignature,
  },
  'update.created': {
    summary: 'The creator of a petition posted an update',
    description: '`data` is the update.',
    data: orDeleted(Update),
  },
  'payment.completed': {
    summary: 'A promotion was paid',
    description: '`data` is the payment.',
    data: orDeleted(Payment),
  },
  'response.submitted': {
    summary: 'A decision maker responded',
    description: '`data` is the response, which only the creator of the petition sees yet.',
    data: orDeleted(DecisionMakerResponse),
  },
  'response.published': {
    summary: 'Everybody can read the response of a decision maker',
    description: '`data` is the response.',
    data: orDeleted(DecisionMakerResponse),
  },
};

/** The headers of deliveries. */
const DeliveryHeaders = Type.Object({
  'webhook-id': Type.String({
    format: 'uuid',
    description: "The event's id: the same in every delivery of it. Ignore ids that you have.",
  }),
  'webhook-timestamp': Type.String({
    pattern: String.raw`^\d+$`,
    description: 'When this attempt was sent, in seconds since 1970. Refuse what is too old.',
  }),
  'webhook-signature': Type.String({
    description:
      '`v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`, keyed with the decoded bytes after `whsec_`. Two of them, with a space between, while a secret is being replaced.',
  }),
  'X-Service-Event': Type.String({ description: 'Type of the event.' }),
  'X-Service-Timestamp': Type.Unsafe<string>({ ...Timestamp, description: 'Time of the event.' }),
  'X-Service-Delivery-Id': Type.String({
    format: 'uuid',
    description: 'The delivery: another for each redelivery.',
  }),
  'X-Service-Signature': Type.String({
    description:
      '`sha256=` and the hex of HMAC-SHA-256 over the body alone, keyed with the whole secret. It does not protect from replays.',
  }),
});

const answers = {
  '2XX': 'Received. Answer within 10 seconds, and do the work afterwards.',
  '410': 'The endpoint is switched off.',
  default: 'The delivery is tried again, up to 5 times within about three hours.',
};

/** Describes the deliveries of an event. */
export function eventWebhook(
  type: WebhookEventType | typeof testEvent,
  { summary, description, data }: EventDescription,
): Webhook {
  const words = type.split('.').map((word) => word[0]!.toUpperCase() + word.slice(1));
  const name = `${words.join('')}Event`;
  return {
    id: `receive${name}`,
    summary,
    description,
    tag: 'Webhooks',
    headers: DeliveryHeaders,
    body: named(name, Type.Object({ ...EventBody.properties, type: Type.Literal(type), data })),
    answers,
  };
}

const publicWebhooks = Object.fromEntries(
  Object.entries(publicEvents).map(([type, described]) => [
    type,
    eventWebhook(type as PublicEventType, described),
  ]),
);

/** An item of the event log: an event with the data of its type. */
export const LoggedEvent = named(
  'Event',
  Type.Unsafe<EventBody>(Type.Union(Object.values(publicWebhooks).map(({ body }) => body))),
);

/** The deliveries of public events and of tests, by type of event. */
export const eventWebhooks: Record<string, Webhook> = {
  ...publicWebhooks,
  [testEvent]: eventWebhook(testEvent, {
    summary: 'A test that you asked for',
    description: 'Sent by `POST /v1/webhooks/{id}/test`. It is not in the event log.',
    data: TestData,
  }),
};

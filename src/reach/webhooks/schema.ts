import { Type, type Static } from 'typebox';
import {
  idOf,
  named,
  nullable,
  oneOf,
  createdQuery,
  pageQuery,
  Timestamp,
  Uuid,
  WebUrl,
} from '../../platform/http/schema.ts';
import { publicResponseEvents } from '../../campaigns/decision-makers/schema.ts';
import { publicPetitionEvents } from '../../campaigns/petitions/schema.ts';
import { publicSignatureEvents } from '../../campaigns/signatures/schema.ts';
import { publicUpdateEvents } from '../../campaigns/updates/schema.ts';
import { publicPaymentEvents } from '../payments/schema.ts';

/** Types of events that webhooks, the event log and the real-time API publish. */
export const publicEventTypes = [
  ...publicPetitionEvents,
  ...publicSignatureEvents,
  ...publicUpdateEvents,
  ...publicPaymentEvents,
  ...publicResponseEvents,
] as const;
export type PublicEventType = (typeof publicEventTypes)[number];

/** Types of events of all petitions that go to endpoints of administrators only. */
export const adminEventTypes = ['integrity.alert'] as const;

/** Types of events that endpoints can subscribe to. */
export const webhookEventTypes = [...publicEventTypes, ...adminEventTypes] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];
export const isAdminEvent = (type: string): boolean => adminEventTypes.some((one) => one === type);

declare module '../../platform/events.ts' {
  /** The data has endpoint_id and user_id. */
  interface EventTypes extends Record<'webhook.disabled', true> {}
}

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'retrying'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Event type of tests, which are not in the log. */
export const testEvent = 'webhook.test';

export const WebhookEndpoint = named(
  'WebhookEndpoint',
  Type.Object({
    id: Uuid,
    url: Type.String({ format: 'uri' }),
    events: Type.Array(oneOf(webhookEventTypes)),
    is_active: Type.Boolean({
      description: 'Off by you, by an answer 410, or by 5 days of failure.',
    }),
    org_id: nullable(Uuid),
    created_at: Timestamp,
  }),
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const WebhookEndpointWithSecret = named(
  'WebhookEndpointWithSecret',
  Type.Object({
    ...WebhookEndpoint.properties,
    secret: Type.String({ description: 'Shown this once. Deliveries are signed with it.' }),
  }),
);
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;

export const WebhookInput = Type.Object({
  url: WebUrl,
  events: Type.Array(oneOf(webhookEventTypes), {
    minItems: 1,
    maxItems: 50,
    description: '`integrity.alert`, of all petitions, is for administrators.',
  }),
});
export type WebhookInput = Static<typeof WebhookInput>;

export const WebhookUpdate = Type.Partial(
  Type.Object({ ...WebhookInput.properties, is_active: Type.Boolean() }),
);
export type WebhookUpdate = Static<typeof WebhookUpdate>;

export const WebhookRef = Type.Object({ id: idOf('the endpoint') });
export const DeliveryRef = Type.Object({
  ...WebhookRef.properties,
  delivery_id: idOf('the delivery'),
});

export const Delivery = named(
  'WebhookDelivery',
  Type.Object({
    id: Uuid,
    event_id: Uuid,
    event: oneOf([...webhookEventTypes, testEvent]),
    status: oneOf(deliveryStatuses, {
      description: 'pending: not attempted yet; retrying: failed, will be attempted again.',
    }),
    attempts: Type.Integer({ description: 'Attempts that have ended, at most 6.' }),
    response_status: nullable(Type.Integer({ description: 'Of the last attempt.' })),
    error: nullable(Type.String({ description: 'Why the last attempt failed.' })),
    next_attempt_at: nullable(Timestamp),
    delivered_at: nullable(Timestamp),
    created_at: Timestamp,
  }),
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryListQuery = Type.Object({
  status: Type.Optional(
    oneOf(deliveryStatuses, { description: 'Deliveries in that status only.' }),
  ),
  ...createdQuery,
  ...pageQuery,
});
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;

/** The body of a delivery, with data of any type. */
export const EventBody = Type.Object({
  id: Uuid,
  type: oneOf([...webhookEventTypes, testEvent]),
  created_at: Timestamp,
  triggered_by: Type.Object(
    {
      type: oneOf(['user', 'api_key', 'decision_maker', 'admin', 'system']),
      id: nullable(Type.String({ format: 'uuid', description: 'Null if it is hidden or erased.' })),
    },
    { description: 'Who caused it.' },
  ),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type EventBody = Static<typeof EventBody>;

export const EventLogQuery = Type.Object({
  after: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the last event that you have.' }),
  ),
  ...pageQuery,
});
export type EventLogQuery = Static<typeof EventLogQuery>;

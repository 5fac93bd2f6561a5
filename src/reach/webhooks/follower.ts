import type { Context } from '../../platform/context.ts';
import type { LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { findAdminEndpoints, findSubscribers } from './log-queries.ts';
import { insertPayloads } from './payload-queries.ts';
import { composePayloads } from './payloads.ts';
import { insertDeliveries } from './sending-queries.ts';
import { isAdminEvent, webhookEventTypes } from './schema.ts';

/**
 * Creates a delivery for each event and endpoint that subscribes to it, in the follower's transaction.
 * Most petitions have no endpoints: such a batch costs one query.
 */
export const webhookFollower = (ctx: Context): EventFollower => ({
  name: 'webhooks',
  types: webhookEventTypes,
  async handleEvents(tx, events) {
    const petitionIds = new Set(events.flatMap(({ petitionId }) => petitionId ?? []));
    const subscribers = Map.groupBy(
      await findSubscribers(tx, [...petitionIds]),
      ({ petition_id }) => petition_id,
    );
    const adminEndpoints = events.some(({ type }) => isAdminEvent(type))
      ? await findAdminEndpoints(tx)
      : [];
    const listenersOf = ({ type, petitionId, createdAt }: LoggedEvent) =>
      isAdminEvent(type)
        ? adminEndpoints
        : (subscribers.get(petitionId ?? '') ?? []).filter(
            ({ since }) => (since ?? createdAt) <= createdAt,
          );
    const deliveries = events.flatMap((event) =>
      listenersOf(event)
        .filter(({ events: wanted }) => wanted.includes(event.type))
        .map(({ endpoint_id: endpointId }) => ({
          endpointId,
          eventId: event.id,
          event: event.type,
        })),
    );
    if (deliveries.length === 0) return;
    const wanted = new Set(deliveries.map(({ eventId }) => eventId));
    const payloads = await composePayloads(
      ctx,
      tx,
      events.filter(({ id }) => wanted.has(id)),
    );
    await insertPayloads(tx, payloads);
    await insertDeliveries(tx, deliveries);
  },
});

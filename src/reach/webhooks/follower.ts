import type { Context } from '../../platform/context.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { findSubscribers } from './log-queries.ts';
import { insertPayloads } from './payload-queries.ts';
import { composePayloads } from './payloads.ts';
import { insertDeliveries } from './sending-queries.ts';
import { publicEventTypes } from './schema.ts';

/**
 * Creates a delivery for each event and endpoint that subscribes to it, in the follower's transaction.
 * Most petitions have no endpoints: such a batch costs one query.
 */
export const webhookFollower = (ctx: Context): EventFollower => ({
  name: 'webhooks',
  types: publicEventTypes,
  async handleEvents(tx, events) {
    const petitionIds = new Set(events.flatMap(({ petitionId }) => petitionId ?? []));
    const subscribers = Map.groupBy(
      await findSubscribers(tx, [...petitionIds]),
      ({ petition_id }) => petition_id,
    );
    const deliveries = events.flatMap(({ id: eventId, type, petitionId, createdAt }) =>
      (subscribers.get(petitionId ?? '') ?? [])
        .filter(
          ({ events: wanted, since }) => wanted.includes(type) && (since ?? createdAt) <= createdAt,
        )
        .map(({ endpoint_id: endpointId }) => ({ endpointId, eventId, event: type })),
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

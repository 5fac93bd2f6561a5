import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import { publicEventTypes, type LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { findListeners } from './log-queries.ts';
import { insertPayloads } from './payload-queries.ts';
import { writePayloads } from './payloads.ts';
import { insertDeliveries } from './sending-queries.ts';

/**
 * Turns what happened into deliveries, in the transaction of the follower: one for each event and endpoint
 * that wants it. Where nobody does, which is so of most petitions, a batch costs one query.
 */
export const webhookFollower = (ctx: Context): EventFollower => ({
  name: 'webhooks',
  types: publicEventTypes,
  async follow(tx: Tx, events: LoggedEvent[]) {
    const petitionIds = new Set(events.flatMap(({ petitionId }) => petitionId ?? []));
    const listeners = Map.groupBy(
      await findListeners(tx, [...petitionIds]),
      ({ petition_id }) => petition_id,
    );
    const deliveries = events.flatMap(({ id: eventId, type, petitionId, createdAt }) =>
      (listeners.get(petitionId ?? '') ?? [])
        .filter(
          ({ events: wanted, since }) => wanted.includes(type) && (since ?? createdAt) <= createdAt,
        )
        .map(({ endpoint_id: endpointId }) => ({ endpointId, eventId, event: type })),
    );
    if (deliveries.length === 0) return;
    const wanted = new Set(deliveries.map(({ eventId }) => eventId));
    const told = events.filter(({ id }) => wanted.has(id));
    await insertPayloads(tx, await writePayloads(ctx, tx, told));
    await insertDeliveries(tx, deliveries);
  },
});

import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import { userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { insertPayloads } from './payload-queries.ts';
import * as queries from './queries.ts';
import {
  deliveryStatuses,
  testEvent,
  type Delivery,
  type DeliveryListQuery,
  type EventBody,
} from './schema.ts';
import { ownEndpoint } from './owning.ts';

/** Returns the deliveries of an endpoint, newest first. */
export async function listDeliveries(
  ctx: Context,
  caller: Caller,
  endpointId: string,
  { status, ...page }: DeliveryListQuery,
): Promise<Page<Delivery>> {
  const { id } = await ownEndpoint(ctx, caller, endpointId);
  const statuses = status ? [status] : deliveryStatuses;
  return pageById(
    'webhook-deliveries',
    page,
    (before, count) => queries.listDeliveries(ctx.db, id, statuses, before, count),
    (row) => row,
  );
}

/** Sends the event of a delivery again, as a new delivery. */
export async function redeliver(
  ctx: Context,
  caller: Caller,
  { id, delivery_id: deliveryId }: { id: string; delivery_id: string },
): Promise<Delivery> {
  const endpoint = await ownEndpoint(ctx, caller, id);
  const delivery = await queries.findDelivery(ctx.db, id, deliveryId);
  if (!delivery) throw notFound('delivery');
  requireActive(endpoint);
  const { event_id: eventId, event } = delivery;
  const row = await queries.insertDelivery(ctx.db, {
    id: newId(),
    endpointId: id,
    eventId,
    event,
  });
  if (!row) throw conflict('event_expired', 'Events are kept for 30 days; this one is gone.');
  return row;
}

/** Sends an event of type webhook.test. */
export async function sendTest(ctx: Context, caller: Caller, id: string): Promise<Delivery> {
  requireActive(await ownEndpoint(ctx, caller, id));
  const body: EventBody = {
    id: newId(),
    type: testEvent,
    created_at: new Date(),
    triggered_by: userActor(caller),
    data: { endpoint_id: id },
  };
  return transaction(ctx.db, async (tx) => {
    const payload = { eventId: body.id, body: JSON.stringify(body), named: [caller.userId] };
    await insertPayloads(tx, [{ ...payload, transaction: null, position: null }]);
    const delivery = { id: newId(), endpointId: id, eventId: body.id, event: testEvent };
    return (await queries.insertDelivery(tx, delivery))!;
  });
}

/** @throws {Problem} conflict if the endpoint is disabled */
function requireActive({ is_active: isActive }: queries.EndpointRow): void {
  if (!isActive)
    throw conflict('invalid_state', 'The endpoint is switched off. Switch it on first.');
}

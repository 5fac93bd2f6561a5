import type { Context } from '../../platform/context.ts';
import { findEvents } from './log-queries.ts';
import { findPayloads, restoreBody } from './payload-queries.ts';
import { composePayloads } from './payloads.ts';

/**
 * Returns the bodies of deliveries by event id, without events that are no longer kept. A body stays the
 * same until an account that it names is erased; then it is composed again.
 */
export async function readBodies(ctx: Context, eventIds: string[]): Promise<Map<string, string>> {
  const kept = await findPayloads(ctx.db, eventIds);
  const bodies = new Map(kept.flatMap(({ event_id, body }) => (body ? [[event_id, body]] : [])));
  const positions = kept.flatMap(({ body, transaction, position }) =>
    body === null && transaction !== null && position !== null ? [{ transaction, position }] : [],
  );
  if (positions.length === 0) return bodies;
  const events = await findEvents(ctx.db, positions);
  for (const payload of await composePayloads(ctx, ctx.db, events)) {
    bodies.set(payload.eventId, await restoreBody(ctx.db, payload));
  }
  return bodies;
}

import type { Context } from '../../platform/context.ts';
import { findEvents } from './log-queries.ts';
import { findPayloads, restoreBody } from './payload-queries.ts';
import { writePayloads } from './payloads.ts';

/**
 * What deliveries of these events say, by event: what was written first, for as long as everybody whom it
 * names has an account. Those that are no longer kept are left out.
 */
export async function bodiesToSend(ctx: Context, eventIds: string[]): Promise<Map<string, string>> {
  const kept = await findPayloads(ctx.db, eventIds);
  const bodies = new Map(kept.flatMap(({ event_id, body }) => (body ? [[event_id, body]] : [])));
  const places = kept.flatMap(({ body, transaction, position }) =>
    body === null && transaction !== null && position !== null ? [{ transaction, position }] : [],
  );
  if (places.length === 0) return bodies;
  const events = await findEvents(ctx.db, places);
  for (const payload of await writePayloads(ctx, ctx.db, events)) {
    bodies.set(payload.eventId, await restoreBody(ctx.db, payload));
  }
  return bodies;
}

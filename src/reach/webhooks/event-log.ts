import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { startOfLog, type LoggedEvent } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue } from '../../platform/problems.ts';
import { findPlace, readLogOf } from './log-queries.ts';
import { findPayloads } from './payload-queries.ts';
import { writePayloads } from './payloads.ts';
import type { EventBody, EventLogQuery } from './schema.ts';
import { ownerOf } from './webhooks.ts';

/** What happened to the caller's petitions, oldest first, with the bodies that deliveries have. */
export async function listEvents(
  ctx: Context,
  caller: Caller,
  query: EventLogQuery,
): Promise<Page<EventBody>> {
  const { limit = defaultLimit } = query;
  const after = await placeAfter(ctx, query);
  const events = await readLogOf(ctx.db, ownerOf(caller), after, limit + 1);
  const page = toPage(
    events,
    limit,
    ({ id }) => encodeCursor('events', [id]),
    (event) => event,
  );
  return { ...page, items: await bodiesOf(ctx, page.items) };
}

/** @throws {Problem} validation-failed where the event is not, or no longer, in the log */
async function placeAfter(ctx: Context, { after, cursor }: EventLogQuery) {
  const keys = decodeCursor('events', ['uuid'], cursor);
  const id = keys ? String(keys[0]) : after;
  if (id === undefined) return startOfLog;
  const place = await findPlace(ctx.db, id);
  if (place) return place;
  throw invalidValue(
    keys ? 'cursor' : 'after',
    'There is no such event in the log. Tests are not in it, and events are kept for 30 days; leave this out to begin anew.',
  );
}

/** What was sent of them; of those that nobody was sent, what would be sent now. */
async function bodiesOf(ctx: Context, events: LoggedEvent[]): Promise<EventBody[]> {
  const ids = events.map(({ id }) => id);
  const kept = await findPayloads(ctx.db, ids);
  const bodies = new Map(kept.flatMap(({ event_id, body }) => (body ? [[event_id, body]] : [])));
  const missing = events.filter(({ id }) => !bodies.has(id));
  for (const { eventId, body } of await writePayloads(ctx, ctx.db, missing)) {
    bodies.set(eventId, body);
  }
  return ids.map((id) => JSON.parse(bodies.get(id)!) as EventBody);
}

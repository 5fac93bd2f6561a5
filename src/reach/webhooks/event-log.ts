import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { startOfLog, type LoggedEvent } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue } from '../../platform/problems.ts';
import { findPosition, readOwnerLog } from './log-queries.ts';
import { findPayloads } from './payload-queries.ts';
import { composePayloads } from './payloads.ts';
import type { EventBody, EventLogQuery } from './schema.ts';
import { ownerOf } from './owning.ts';

/** Returns the events of the caller's petitions, oldest first, as deliveries show them. */
export async function listEvents(
  ctx: Context,
  caller: Caller,
  query: EventLogQuery,
): Promise<Page<EventBody>> {
  const { limit = defaultLimit } = query;
  const after = await positionAfter(ctx, query);
  const events = await readOwnerLog(ctx.db, ownerOf(caller), after, limit + 1);
  const page = toPage(
    events,
    limit,
    ({ id }) => encodeCursor('events', [id]),
    (event) => event,
  );
  return { ...page, items: await bodiesOf(ctx, page.items) };
}

/** @throws {Problem} validation-failed if the event is not, or no longer, in the log */
async function positionAfter(ctx: Context, { after, cursor }: EventLogQuery) {
  const keys = decodeCursor('events', ['uuid'], cursor);
  const id = keys ? String(keys[0]) : after;
  if (id === undefined) return startOfLog;
  const position = await findPosition(ctx.db, id);
  if (position) return position;
  throw invalidValue(
    keys ? 'cursor' : 'after',
    'There is no such event in the log. Tests are not in it, and events are kept for 30 days; leave this out to begin anew.',
  );
}

/** Returns the stored bodies of events, and composes those that were never sent. */
async function bodiesOf(ctx: Context, events: LoggedEvent[]): Promise<EventBody[]> {
  const ids = events.map(({ id }) => id);
  const kept = await findPayloads(ctx.db, ids);
  const bodies = new Map(kept.flatMap(({ event_id, body }) => (body ? [[event_id, body]] : [])));
  const missing = events.filter(({ id }) => !bodies.has(id));
  for (const { eventId, body } of await composePayloads(ctx, ctx.db, missing)) {
    bodies.set(eventId, body);
  }
  return ids.map((id) => JSON.parse(bodies.get(id)!) as EventBody);
}

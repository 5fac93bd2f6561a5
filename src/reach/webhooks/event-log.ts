import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { startOfLog } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { invalidValue } from '../../platform/problems.ts';
import { findPosition, readOwnerLog } from './log-queries.ts';
import { bodiesOf } from './payloads.ts';
import type { EventBody, EventLogQuery } from './schema.ts';
import { ownerOf } from './webhooks.ts';

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

import type { Context } from '../../platform/context.ts';
import {
  decodeCursor,
  encodeCursor,
  toPage,
  type Page,
  type PageQuery,
} from '../../platform/cursor.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import * as queries from './queries.ts';
import type { TimelineEntry } from './schema.ts';

const listName = 'timeline';

/**
 * Returns what happened to a petition, newest first.
 * @throws {Problem} as `requireReadablePetition`
 */
export async function listTimeline(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, cursor, limit = defaultLimit }: PageQuery & { access_code?: string },
): Promise<Page<TimelineEntry>> {
  const { id } = await requireReadablePetition(ctx, caller, ref, code);
  const keys = decodeCursor(listName, ['time', 'text', 'text'], cursor);
  const before = keys && { at: String(keys[0]), type: String(keys[1]), key: String(keys[2]) };
  const rows = await queries.findEntries(ctx.db, id, before, limit + 1);
  return toPage(
    rows,
    limit,
    ({ at, type, key }) => encodeCursor(listName, [at.toISOString(), type, key]),
    present,
  );
}

const present = ({
  type,
  at,
  key,
  count,
  heading,
  name,
  office,
  position,
}: queries.TimelineRow): TimelineEntry => ({
  id: key === '' ? type : `${type}-${key}`,
  type,
  at,
  count,
  update: heading === null ? null : { id: key, title: heading },
  decision_maker: name === null ? null : { name, title: office },
  position,
});

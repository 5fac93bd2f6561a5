import { encodeCursor, type CursorKeys, type KeyKind } from '../../platform/cursor.ts';
import type { Context } from '../../platform/context.ts';
import { petitionsAmong, promotedIds } from './promotion-queries.ts';
import { listPetitions, type PetitionFilter, type PetitionRow } from './queries.ts';

/** A cursor of trending: trend and id of the last petition, and the ids of the promoted ones. */
export const trendingKeys: KeyKind[] = ['number', 'uuid', 'uuids'];

/** How many promoted petitions precede a list; others are placed by their trend. */
const maxPromoted = 20;

/** Rows of a list, and the function that makes a cursor from the last one of a page. */
export interface ListRows {
  rows: PetitionRow[];
  cursorOf: (row: PetitionRow) => string;
}

/**
 * Returns rows of a list by trend, promoted petitions first. The first page decides which these are and
 * stores their ids in its cursors. Petitions are neither repeated nor skipped if promotions start or end.
 */
export async function readTrending(
  { pools, site, now }: Context,
  filter: PetitionFilter,
  after: CursorKeys | null,
  limit: number,
): Promise<ListRows> {
  const db = pools.replica;
  const promotedFirst = () =>
    site.current.modules.promotion ? promotedIds(db, filter, now(), maxPromoted) : [];
  const promoted = after ? String(after[2]).split(',').filter(Boolean) : await promotedFirst();
  const lastIndex = after ? promoted.indexOf(String(after[1])) : -1;
  const isAmongPromoted = after === null || lastIndex >= 0;
  const rows = isAmongPromoted
    ? await petitionsAmong(db, filter, promoted.slice(lastIndex + 1), limit)
    : [];
  if (rows.length < limit) {
    const start = isAmongPromoted ? null : after;
    const remaining = limit - rows.length;
    rows.push(...(await listPetitions(db, filter, 'trending', start, remaining, promoted)));
  }
  return {
    rows,
    cursorOf: ({ sort_trend: trend, id }) =>
      encodeCursor('trending', [trend, id, promoted.join(',')]),
  };
}

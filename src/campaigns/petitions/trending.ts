import { encodeCursor, type CursorKeys, type KeyKind } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { petitionsAmong, promotedIds } from './promotion-queries.ts';
import { listPetitions, type PetitionFilter, type PetitionRow } from './queries.ts';

/** What the cursors of trending hold: trend and id of the last petition, and those that stand first. */
export const trendingKeys: KeyKind[] = ['number', 'uuid', 'uuids'];

/** Petitions that stand first in one list at most; promoted ones beyond stand where their trend is. */
const mostFirst = 20;

/** Rows of a list in its order, and what makes a cursor of the last one that is shown. */
export interface ListRows {
  rows: PetitionRow[];
  cursorOf: (row: PetitionRow) => string;
}

/**
 * Rows of a list by trend, with promoted petitions first. The first page settles which these are, and
 * its cursors carry them: whatever is promoted or ends meanwhile, nothing is shown twice or passed over.
 */
export async function readTrending(
  db: Db,
  filter: PetitionFilter,
  after: CursorKeys | null,
  limit: number,
  now: Date,
): Promise<ListRows> {
  const first = after
    ? String(after[2]).split(',').filter(Boolean)
    : await promotedIds(db, filter, now, mostFirst);
  const shown = after ? first.indexOf(String(after[1])) : -1;
  const isAmongFirst = after === null || shown >= 0;
  const rows = isAmongFirst ? await petitionsAmong(db, filter, first.slice(shown + 1), limit) : [];
  if (rows.length < limit) {
    const place = isAmongFirst ? null : after;
    const more = limit - rows.length;
    rows.push(...(await listPetitions(db, filter, 'trending', place, more, first)));
  }
  return {
    rows,
    cursorOf: ({ trend, id }) => encodeCursor('trending', [trend, id, first.join(',')]),
  };
}

import type { Pool } from '../../platform/db.ts';
import type { Check } from './check.ts';
import * as queries from './sequence-queries.ts';
import { atOneMoment } from './snapshot.ts';

/** No sequence is behind the column that it numbers: it would give a number out again. */
export async function checkSequences(
  db: Pool,
  highestPosition: bigint,
  check: Check,
): Promise<void> {
  for (const column of await atOneMoment(db, queries.identityColumns)) {
    check.saw(1);
    // The log has no index of positions, and was read already.
    const highest =
      column.table === 'events'
        ? highestPosition
        : BigInt(await atOneMoment(db, (tx) => queries.highestValue(tx, column)));
    // Read after the column: a sequence is not of one moment with it, and only grows.
    const last = BigInt(await atOneMoment(db, (tx) => queries.lastValue(tx, column)));
    if (last < highest) {
      check.found(`${column.table}.${column.column} has ${highest}, its sequence is at ${last}`);
    }
  }
}

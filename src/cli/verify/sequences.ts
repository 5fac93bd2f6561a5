import type { Pool } from '../../platform/db.ts';
import type { Check } from './check.ts';
import * as queries from './sequence-queries.ts';
import { inSnapshot } from './snapshot.ts';

/** Checks that no sequence is behind its column, which would assign a number twice. */
export async function checkSequences(
  db: Pool,
  highestPosition: bigint,
  check: Check,
): Promise<void> {
  for (const column of await inSnapshot(db, queries.identityColumns)) {
    check.addChecked(1);
    // The log has no index of positions, and has been read already.
    const highest =
      column.table === 'events'
        ? highestPosition
        : BigInt(await inSnapshot(db, (tx) => queries.highestValue(tx, column)));
    // Read after the column: sequences are not part of the snapshot, and only grow.
    const last = BigInt(await inSnapshot(db, (tx) => queries.lastValue(tx, column)));
    if (last < highest) {
      check.addWrong(`${column.table}.${column.column} has ${highest}, its sequence is at ${last}`);
    }
  }
}

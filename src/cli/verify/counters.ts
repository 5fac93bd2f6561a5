import type { Db, Pool } from '../../platform/db.ts';
import type { Check } from './check.ts';
import * as queries from './counter-queries.ts';
import type { Counted, CounterTable } from './counter-queries.ts';
import { allIds, type IdRange } from './keys.ts';
import { inSnapshot } from './snapshot.ts';

interface Counter {
  /** The table whose ids divide the work into pages. */
  table: CounterTable;
  compare: (db: Db, range: IdRange) => Promise<Counted>;
  check: Check;
}

export interface CounterChecks {
  inboxes: Check;
  counters: Check;
  shares: Check;
}

/** Checks that stored counts match the rows that they count, page by page, each in one snapshot. */
export async function checkCounters(
  db: Pool,
  { inboxes, counters, shares }: CounterChecks,
): Promise<void> {
  const all: Counter[] = [
    { table: 'notification_inboxes', compare: queries.compareInboxes, check: inboxes },
    { table: 'users', compare: queries.compareCreators, check: counters },
    { table: 'organizations', compare: queries.compareOrganizations, check: counters },
    { table: 'comments', compare: queries.compareThreads, check: counters },
    { table: 'petitions', compare: queries.compareSharing, check: shares },
  ];
  for (const counter of all) await checkCounter(db, counter);
}

async function checkCounter(db: Pool, { table, compare, check }: Counter): Promise<void> {
  let range: IdRange | undefined = allIds;
  while (range) {
    const rest: IdRange = range;
    const end = await inSnapshot(db, (tx) => queries.endOfRows(tx, table, rest));
    const part = { after: rest.after, to: end ?? rest.to };
    await compareIn(db, part, { compare, check });
    range = end === undefined ? undefined : { after: end, to: rest.to };
  }
}

/** Checks the counts of sharing of the petitions in the range. */
export const checkSharing = (db: Pool, range: IdRange, check: Check): Promise<void> =>
  compareIn(db, range, { compare: queries.compareSharing, check });

async function compareIn(
  db: Pool,
  range: IdRange,
  { compare, check }: Pick<Counter, 'compare' | 'check'>,
): Promise<void> {
  const { looked_at, wrong } = await inSnapshot(db, (tx) => compare(tx, range));
  check.addChecked(looked_at);
  check.addManyWrong(wrong.length, wrong);
}

import type { Db, Pool } from '../../platform/db.ts';
import type { Check } from './check.ts';
import * as queries from './counter-queries.ts';
import type { Counted, CounterTable } from './counter-queries.ts';
import { allIds, type IdRange } from './keys.ts';
import { atOneMoment } from './snapshot.ts';

interface Counter {
  /** By whose ids it is cut into pages. */
  table: CounterTable;
  compare: (db: Db, range: IdRange) => Promise<Counted>;
  check: Check;
}

export interface CounterChecks {
  inboxes: Check;
  counters: Check;
  shares: Check;
}

/** Stored counts are those of the rows that they count: in each page of them, at one moment. */
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
    const end = await atOneMoment(db, (tx) => queries.endOfRows(tx, table, rest));
    const part = { after: rest.after, to: end ?? rest.to };
    await compareIn(db, part, { compare, check });
    range = end === undefined ? undefined : { after: end, to: rest.to };
  }
}

/** What is counted of one petition's sharing. */
export const checkSharing = (db: Pool, range: IdRange, check: Check): Promise<void> =>
  compareIn(db, range, { compare: queries.compareSharing, check });

async function compareIn(
  db: Pool,
  range: IdRange,
  { compare, check }: Pick<Counter, 'compare' | 'check'>,
): Promise<void> {
  const { looked_at, wrong } = await atOneMoment(db, (tx) => compare(tx, range));
  check.saw(looked_at);
  check.foundMany(wrong.length, wrong);
}

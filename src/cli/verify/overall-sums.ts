import type { Pool } from '../../platform/db.ts';
import { countOverallDifferences } from '../../reach/analytics/rebuilding-queries.ts';
import { overallSums } from '../../reach/analytics/sum-queries.ts';
import type { Check } from './check.ts';
import { inSnapshot } from './snapshot.ts';

/** Checks that overall sums match the sums of petitions. */
export async function checkOverallSums(db: Pool, check: Check): Promise<void> {
  check.addChecked(overallSums.length);
  const differences = await inSnapshot(db, countOverallDifferences);
  const tables = overallSums.map(({ table }) => table).join(', ');
  if (differences > 0) check.addManyWrong(differences, [`${differences} rows of ${tables}`]);
}

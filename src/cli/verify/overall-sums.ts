import type { Pool } from '../../platform/db.ts';
import { countOverallDifferences } from '../../reach/analytics/rebuilding-queries.ts';
import { overallSums } from '../../reach/analytics/sum-queries.ts';
import type { Check } from './check.ts';
import { atOneMoment } from './snapshot.ts';

/** Sums of all petitions together are those of each. */
export async function checkOverallSums(db: Pool, check: Check): Promise<void> {
  check.saw(overallSums.length);
  const differences = await atOneMoment(db, countOverallDifferences);
  const tables = overallSums.map(({ table }) => table).join(', ');
  if (differences > 0) check.foundMany(differences, [`${differences} rows of ${tables}`]);
}

import { countOverallDifferences } from '../../reach/analytics/rebuilding-queries.ts';
import { overallSums as sums } from '../../reach/analytics/sum-queries.ts';
import type { DatabaseCheck } from './check.ts';
import { inSnapshot } from './snapshot.ts';

/** Sums of all petitions together match those of each. */
export const overallSums: DatabaseCheck = {
  name: 'overall-sums',
  subject: 'tables',

  async *run({ db }) {
    const differences = await inSnapshot(db, countOverallDifferences);
    const tables = sums.map(({ table }) => table).join(', ');
    yield differences > 0
      ? {
          checked: sums.length,
          wrong: [`${differences} rows of ${tables}`],
          moreWrong: differences - 1,
        }
      : { checked: sums.length, wrong: [] };
  },
};

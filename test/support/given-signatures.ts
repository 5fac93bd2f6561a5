import { updateCounts } from '../../src/cli/demo/queries.ts';
import { transaction } from '../../src/platform/db.ts';
import { rebuildOverallSums, rebuildSums } from '../../src/reach/analytics/rebuilding.ts';
import { compareAgain } from '../../src/reach/transparency-log/transparency-log.ts';
import type { Service } from './service.ts';

/**
 * Creates the counts, milestones and sums of signatures that a test has inserted, and has the public log take them. These must be older than their
 * petition, since newer ones must have events.
 */
export async function countInsertedSignatures({ ctx }: Service, petitionId: string): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await updateCounts(tx, [petitionId]);
    await rebuildSums(tx, [petitionId], ctx.now());
    await rebuildOverallSums(tx);
    await compareAgain(tx);
  });
}

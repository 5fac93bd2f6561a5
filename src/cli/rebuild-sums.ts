import { parseArgs } from 'node:util';
import type { Context } from '../platform/context.ts';
import { transaction } from '../platform/db.ts';
import {
  differencesOf,
  overallDifferences,
  petitionsToSum,
  rebuildOverallSums,
  rebuildSums,
} from '../reach/analytics/rebuilding.ts';
import { CommandError, progressOn, runCommand, withContext, type Progress } from './command.ts';

const help = `Computes the sums of signatures again from the signatures, petition by petition, and compares them.

  npm run rebuild-sums [-- --check]

  --check  only compares, and ends with 1 where something differs
  --help   shows this

Maps, history, analytics and statistics read these sums. Signing can continue. Figures of views have no other
source and stay. Settings are the service's environment variables, such
as DATABASE_URL or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const progress = progressOn(process.stderr);
  await withContext(async (ctx) => {
    if (!values.check) await rebuildAll(ctx, progress);
    const { petitions, differing } = await compareAll(ctx, progress);
    if (differing.length > 0) throw new CommandError(`Sums differ:\n${differing.join('\n')}`);
    process.stdout.write(`The sums of ${petitions} petitions are those of their signatures.\n`);
  });
}

/** Rebuilds the sums, each petition in its own transaction, so that followers of events wait only briefly. */
export async function rebuildAll(ctx: Context, progress: Progress): Promise<void> {
  let done = 0;
  for await (const ids of petitionsToSum(ctx)) {
    for (const id of ids) {
      await transaction(ctx.db, (tx) => rebuildSums(tx, [id], ctx.now()));
      progress.show(`rebuilt ${(done += 1)}`);
    }
  }
  await transaction(ctx.db, rebuildOverallSums);
  progress.clear();
}

/** Compares all sums with the signatures. Returns a line for each difference. */
export async function compareAll(
  ctx: Context,
  progress: Progress,
): Promise<{ petitions: number; differing: string[] }> {
  const differing: string[] = [];
  let petitions = 0;
  for await (const ids of petitionsToSum(ctx)) {
    for (const id of ids) {
      const rows = await differencesOf(ctx, id);
      if (rows > 0) differing.push(`petition ${id}: ${rows}`);
      progress.show(`compared ${(petitions += 1)}`);
    }
  }
  const rows = await overallDifferences(ctx);
  if (rows > 0) differing.push(`all petitions together: ${rows}`);
  progress.clear();
  return { petitions, differing };
}

if (import.meta.main) await runCommand(main);

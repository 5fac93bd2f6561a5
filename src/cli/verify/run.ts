import type { Pool } from '../../platform/db.ts';
import type { Progress } from '../command.ts';
import { readBatch } from './batch.ts';
import type { DatabaseCheck, PetitionCheck, Scope } from './check.ts';
import type { IdRange } from './pages.ts';
import { addFinding, emptyResult, type CheckResult } from './report.ts';
import { inSnapshot } from './snapshot.ts';

interface Options {
  db: Pool;
  range: IdRange;
  now: Date;
  /** Events are kept since then. */
  keptSince: Date;
  progress: Progress;
}

/** Runs checks of petitions together, batch by batch, so that each batch is in memory for all of them. */
export async function runPetitionChecks(
  checks: readonly PetitionCheck[],
  { db, range, now, keptSince, progress }: Options,
): Promise<CheckResult[]> {
  const results = checks.map(emptyResult);
  let petitions = 0;
  let rest: IdRange | undefined = range;
  while (rest) {
    const unread: IdRange = rest;
    const batch = await inSnapshot(db, async (tx) => {
      const read = await readBatch(tx, unread, { now, keptSince });
      for (const [index, check] of checks.entries()) {
        addFinding(results[index]!, await check.compare(tx, read));
      }
      return read;
    });
    petitions += batch.petitions.length;
    progress.show(`${petitions} petitions`);
    rest = batch.range.to === range.to ? undefined : { after: batch.range.to, to: range.to };
  }
  return results;
}

/** Runs a check of the database. */
export async function runCheck(
  check: DatabaseCheck,
  scope: Scope,
  progress: Progress,
): Promise<CheckResult> {
  const result = emptyResult(check);
  for await (const finding of check.run(scope)) {
    addFinding(result, finding);
    progress.show(`${result.lookedAt} ${check.subject}`);
  }
  return result;
}

import type { Pool, Tx } from '../../platform/db.ts';
import type { Progress } from '../command.ts';
import type { Check } from './check.ts';
import * as events from './event-queries.ts';
import { eventsOf, partsOf, signaturesOf, type IdRange } from './keys.ts';
import { checkMilestones } from './milestones.ts';
import * as queries from './petition-queries.ts';
import type { PetitionRow } from './petition-queries.ts';
import * as signatures from './signature-queries.ts';
import type { Floor } from './signature-queries.ts';
import { atOneMoment, placesOfFollowers } from './snapshot.ts';
import { SumComparison } from './sums.ts';

export interface PetitionChecks {
  counts: Check;
  milestones: Check;
  events: Check;
  sums: Check;
  shares: Check;
}

interface Options {
  db: Pool;
  range: IdRange;
  now: Date;
  /** From when on events are kept. */
  keptSince: Date;
  checks: PetitionChecks;
  progress: Progress;
}

/** Checks petitions with their signatures, milestones, events and sums, batch by batch, each at one moment. */
export async function checkPetitions(options: Options): Promise<void> {
  const { db, progress, checks } = options;
  let range: IdRange | undefined = options.range;
  while (range) {
    const rest: IdRange = range;
    range = await atOneMoment(db, (tx) => checkBatch(tx, rest, options));
    progress.show(`${checks.counts.lookedAt} petitions`);
  }
}

/** What is known of one petition, or of signatures whose petition is not there. */
interface Known {
  row?: PetitionRow;
  valid: number;
  invalid: number;
  toTell: number;
  told: number;
  /** Of the hashes of the ids of those that are to be told, less that of those that were. */
  hash: bigint;
  milestones: queries.MilestoneRow[];
  events: events.MilestoneEvent[];
}

const nothing = (): Known => ({
  valid: 0,
  invalid: 0,
  toTell: 0,
  told: 0,
  hash: 0n,
  milestones: [],
  events: [],
});

/** What is gathered of a batch, by petition. */
class Batch {
  readonly petitions = new Map<string, Known>();

  of(id: string): Known {
    const known = this.petitions.get(id) ?? nothing();
    this.petitions.set(id, known);
    return known;
  }
}

/** Checks the first petitions of a range, and gives what is left of it. */
async function checkBatch(tx: Tx, all: IdRange, options: Options): Promise<IdRange | undefined> {
  const { checks, keptSince, now } = options;
  const rows = await queries.nextPetitions(tx, all);
  // What is left has no petitions, but may have signatures and sums of petitions that are gone.
  const range = { after: all.after, to: rows.at(-1)?.id ?? all.to };
  const batch = new Batch();
  for (const row of rows) batch.of(row.id).row = row;
  const floors = (await queries.creationsInLog(tx, range))
    .filter(({ created_at }) => created_at > keptSince)
    .map(({ petition_id, created_at: since }) => ({ petition_id, since }));
  const comparison = new SumComparison(tx, await placesOfFollowers(tx), now);
  await readSignatures(tx, { range, batch, floors, keptSince, comparison });
  await readEvents(tx, { range, batch, floors, keptSince, comparison });
  for (const one of await queries.milestonesIn(tx, range)) {
    batch.of(one.petition_id).milestones.push(one);
  }
  const restored = await queries.petitionsRestored(tx, range);
  const since = new Map(floors.map((floor) => [floor.petition_id, floor.since]));
  for (const [id, known] of batch.petitions) {
    const from = since.get(id) ?? keptSince;
    checkCounts(id, known, checks.counts);
    await checkEvents(tx, id, known, from, checks.events);
    if (!known.row) continue;
    const { row: petition, milestones, events: told } = known;
    checkMilestones(
      { petition, rows: milestones, events: told, since: from, restored: restored.has(id) },
      checks.milestones,
    );
  }
  await comparison.judge(range, checks);
  return rows.length > 0 && range.to !== all.to ? { after: range.to, to: all.to } : undefined;
}

interface Reading {
  range: IdRange;
  batch: Batch;
  floors: Floor[];
  keptSince: Date;
  comparison: SumComparison;
}

async function readSignatures(tx: Tx, reading: Reading): Promise<void> {
  const { range, batch, floors, keptSince, comparison } = reading;
  const endOf = (part: Parameters<typeof signatures.endOfSignatures>[1]) =>
    signatures.endOfSignatures(tx, part);
  for await (const part of partsOf(signaturesOf(range), endOf)) {
    for (const one of await signatures.countSignatures(tx, part, floors, keptSince)) {
      const known = batch.of(one.petition_id);
      known.valid += one.valid;
      known.invalid += one.invalid;
      known.toTell += one.to_tell;
      known.hash += BigInt(one.to_tell_hash);
    }
    await comparison.addSignatures(part);
  }
}

async function readEvents(tx: Tx, reading: Reading): Promise<void> {
  const { range, batch, floors, keptSince, comparison } = reading;
  const endOf = (part: Parameters<typeof events.endOfEvents>[1]) => events.endOfEvents(tx, part);
  for await (const part of partsOf(eventsOf(range), endOf)) {
    for (const one of await events.countTold(tx, part, floors, keptSince)) {
      const known = batch.of(one.petition_id);
      known.told += one.told;
      known.hash -= BigInt(one.told_hash);
    }
    for (const one of await events.milestoneEvents(tx, part)) {
      batch.of(one.petition_id).events.push(one);
    }
    const { seen } = comparison;
    if (seen) await comparison.setApart(await events.signatureEventsAfter(tx, part, seen));
  }
}

/** Counts are those of rows, and of what was imported as a number. */
function checkCounts(id: string, { row, valid, invalid }: Known, check: Check): void {
  if (!row) {
    if (valid + invalid > 0) check.found(`petition ${id} is gone: ${valid + invalid} signatures`);
    return;
  }
  check.saw(1);
  const counted = row.signature_count - row.imported_signature_count;
  if (counted !== valid) {
    check.found(`petition ${id}: counts ${counted} valid signatures, has ${valid}`);
  }
  if (row.invalid_signature_count !== invalid) {
    const count = row.invalid_signature_count;
    check.found(`petition ${id}: counts ${count} invalid signatures, has ${invalid}`);
  }
}

/**
 * An event tells of each signature, and of none two do. Where numbers and hashes are alike, so are the ids that they
 * are of; where they are not, the signatures are looked for.
 */
async function checkEvents(
  tx: Tx,
  id: string,
  { toTell, told, hash, row }: Known,
  since: Date,
  check: Check,
): Promise<void> {
  check.saw(toTell);
  if (toTell === told && hash === 0n) return;
  const untold = await signatures.untoldSignatures(tx, id, since);
  check.foundMany(
    untold.wrong.length,
    untold.wrong.map((one) => `signature ${one} of petition ${id} was never told`),
  );
  if (untold.undecided > 0 && row) {
    check.notes.push(
      `not decided for ${untold.undecided} signatures of petition ${id}, which may have been invalid from the start`,
    );
  }
  for (const one of await signatures.signaturesToldTwice(tx, id)) {
    check.found(`signature ${one} of petition ${id} was told more than once`);
  }
}

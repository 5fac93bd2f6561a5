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
import { inSnapshot, followerPositions } from './snapshot.ts';
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
  /** Events are kept since then. */
  keptSince: Date;
  checks: PetitionChecks;
  progress: Progress;
}

/** Checks petitions with their signatures, milestones, events and sums, in batches of one snapshot each. */
export async function checkPetitions(options: Options): Promise<void> {
  const { db, progress, checks } = options;
  let range: IdRange | undefined = options.range;
  while (range) {
    const rest: IdRange = range;
    range = await inSnapshot(db, (tx) => checkBatch(tx, rest, options));
    progress.show(`${checks.counts.lookedAt} petitions`);
  }
}

/** Data of one petition, or of signatures without a petition. */
interface PetitionData {
  row?: PetitionRow;
  valid: number;
  invalid: number;
  /** Number of signatures that must have an event. */
  expectedEvents: number;
  /** Number of events of signatures. */
  actualEvents: number;
  /** Sum of hashes of the ids of signatures that must have an event, minus that of signatures with one. */
  hashDifference: bigint;
  milestones: queries.MilestoneRow[];
  events: events.MilestoneEvent[];
}

const nothing = (): PetitionData => ({
  valid: 0,
  invalid: 0,
  expectedEvents: 0,
  actualEvents: 0,
  hashDifference: 0n,
  milestones: [],
  events: [],
});

/** Data of a batch by petition. */
class Batch {
  readonly petitions = new Map<string, PetitionData>();

  of(id: string): PetitionData {
    const known = this.petitions.get(id) ?? nothing();
    this.petitions.set(id, known);
    return known;
  }
}

/** Checks the first petitions of a range. Returns the rest of the range. */
async function checkBatch(tx: Tx, all: IdRange, options: Options): Promise<IdRange | undefined> {
  const { checks, keptSince, now } = options;
  const rows = await queries.nextPetitions(tx, all);
  // A range without petitions may have signatures and sums of deleted ones.
  const range = { after: all.after, to: rows.at(-1)?.id ?? all.to };
  const batch = new Batch();
  for (const row of rows) batch.of(row.id).row = row;
  const floors = (await queries.creationsInLog(tx, range))
    .filter(({ created_at }) => created_at > keptSince)
    .map(({ petition_id, created_at: since }) => ({ petition_id, since }));
  const comparison = new SumComparison(tx, await followerPositions(tx), now);
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
    const { row: petition, milestones, events: petitionEvents } = known;
    checkMilestones(
      {
        petition,
        rows: milestones,
        events: petitionEvents,
        since: from,
        restored: restored.has(id),
      },
      checks.milestones,
    );
  }
  await comparison.compareWithStored(range, checks);
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
      known.expectedEvents += one.expected_events;
      known.hashDifference += BigInt(one.expected_hash);
    }
    await comparison.addSignatures(part);
  }
}

async function readEvents(tx: Tx, reading: Reading): Promise<void> {
  const { range, batch, floors, keptSince, comparison } = reading;
  const endOf = (part: Parameters<typeof events.endOfEvents>[1]) => events.endOfEvents(tx, part);
  for await (const part of partsOf(eventsOf(range), endOf)) {
    for (const one of await events.countSignatureEvents(tx, part, floors, keptSince)) {
      const known = batch.of(one.petition_id);
      known.actualEvents += one.events;
      known.hashDifference -= BigInt(one.hash);
    }
    for (const one of await events.milestoneEvents(tx, part)) {
      batch.of(one.petition_id).events.push(one);
    }
    const { seenPosition } = comparison;
    if (seenPosition)
      await comparison.excludeUnseen(await events.signatureEventsAfter(tx, part, seenPosition));
  }
}

/** Checks that the counts match the rows plus the imported number. */
function checkCounts(id: string, { row, valid, invalid }: PetitionData, check: Check): void {
  if (!row) {
    if (valid + invalid > 0)
      check.addWrong(`petition ${id} is gone: ${valid + invalid} signatures`);
    return;
  }
  check.addChecked(1);
  const counted = row.signature_count - row.imported_signature_count;
  if (counted !== valid) {
    check.addWrong(`petition ${id}: counts ${counted} valid signatures, has ${valid}`);
  }
  if (row.invalid_signature_count !== invalid) {
    const count = row.invalid_signature_count;
    check.addWrong(`petition ${id}: counts ${count} invalid signatures, has ${invalid}`);
  }
}

/**
 * Checks that each signature has exactly one event. Equal numbers and hashes mean equal ids; otherwise this looks for
 * the signatures.
 */
async function checkEvents(
  tx: Tx,
  id: string,
  { expectedEvents, actualEvents, hashDifference, row }: PetitionData,
  since: Date,
  check: Check,
): Promise<void> {
  check.addChecked(expectedEvents);
  if (expectedEvents === actualEvents && hashDifference === 0n) return;
  const withoutEvent = await signatures.signaturesWithoutEvent(tx, id, since);
  check.addManyWrong(
    withoutEvent.wrong.length,
    withoutEvent.wrong.map((one) => `signature ${one} of petition ${id} has no event`),
  );
  if (withoutEvent.undecided > 0 && row) {
    check.notes.push(
      `not decided for ${withoutEvent.undecided} signatures of petition ${id}, which may have been invalid from the start`,
    );
  }
  for (const one of await signatures.signaturesWithSeveralEvents(tx, id)) {
    check.addWrong(`signature ${one} of petition ${id} has several events`);
  }
}

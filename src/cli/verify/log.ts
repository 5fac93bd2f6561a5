import type { Pool } from '../../platform/db.ts';
import { startOfLog, type EventType, type LogPosition } from '../../platform/events.ts';
import type { Progress } from '../command.ts';
import type { Check } from './check.ts';
import { partsOf } from './keys.ts';
import * as queries from './log-queries.ts';
import type { SignersEvent, Update } from './log-queries.ts';
import { inSnapshot, followerPositions, settledPosition } from './snapshot.ts';

/** Types of events that notify the signers of a petition. */
const signersTypes: EventType[] = [
  'update.created',
  'petition.victory',
  'petition.closed',
  'response.published',
];

/** Facts from the whole log for other checks. */
export interface LogFacts {
  /** Oldest first. */
  signerEvents: SignersEvent[];
  /** The last update of each petition of an organization. */
  updates: Map<string, Update>;
  /** The highest position. */
  maxPosition: bigint;
}

interface Options {
  db: Pool;
  keptSince: Date;
  checks: { log: Check; days: Check };
  progress: Progress;
}

/**
 * Reads the log once, page by page, up to its settled position, before which it no longer changes. Checks that positions
 * are unique, and that no follower is ahead of the log.
 */
export async function checkLog(options: Options): Promise<LogFacts> {
  const { db, keptSince, checks, progress } = options;
  const end = await inSnapshot(db, settledPosition);
  const facts: LogFacts = { signerEvents: [], updates: new Map(), maxPosition: 0n };
  const seen = new NumberSet();
  for await (const part of pagesUpTo(db, end)) {
    const positions = await inSnapshot(db, (tx) => queries.positionsIn(tx, part));
    for (const position of positions) {
      if (!seen.add(Number(position))) checks.log.addWrong(`position ${position} has two events`);
      if (BigInt(position) > facts.maxPosition) facts.maxPosition = BigInt(position);
    }
    checks.log.addChecked(positions.length);
    await inSnapshot(db, async (tx) => {
      facts.signerEvents.push(...(await queries.eventsOfTypes(tx, part, signersTypes, keptSince)));
      for (const one of await queries.lastUpdates(tx, part)) {
        facts.updates.set(one.petition_id, one);
      }
    });
    progress.show(`${checks.log.lookedAt} events`);
  }
  await inSnapshot(db, async (tx) => {
    const beyond = await queries.eventsBeyond(tx);
    if (beyond) checks.log.addWrong(`event ${beyond} is of a transaction that is yet to come`);
    for (const one of await queries.followerStates(tx, String(facts.maxPosition))) {
      if (one.is_beyond) checks.log.addWrong(`follower ${one.name} stands beyond the log`);
    }
  });
  return facts;
}

/** Divides the log up to a position into pages. */
export const pagesUpTo = (db: Pool, to: LogPosition, after: LogPosition = startOfLog) =>
  partsOf({ after, to }, (range) => inSnapshot(db, (tx) => queries.endOfPage(tx, range)));

/** Checks that the signatures of each day match the events that the follower has seen. */
export async function checkDays({ db, keptSince, checks }: Options): Promise<void> {
  const { days, followerPosition } = await inSnapshot(db, async (tx) => ({
    days: await queries.storedDays(tx, keptSince),
    followerPosition: (await followerPositions(tx)).get('signature-days'),
  }));
  if (!followerPosition || days.length === 0) return;
  const eventsByDay = new Map<string, number>();
  for await (const part of pagesUpTo(db, followerPosition)) {
    for (const { day, given } of await queries.signaturesByDay(db, part)) {
      eventsByDay.set(day, (eventsByDay.get(day) ?? 0) + given);
    }
  }
  checks.days.addChecked(days.length);
  for (const { day, given } of days) {
    const expected = eventsByDay.get(day) ?? 0;
    if (given !== expected) checks.days.addWrong(`day ${day}: has ${given}, events ${expected}`);
  }
}

/** A set of dense whole numbers, as a bitmap. */
class NumberSet {
  #parts = new Map<number, Uint8Array>();

  /** Returns false if the set has the value already. */
  add(value: number): boolean {
    const index = Math.floor(value / 2 ** 20);
    const part = this.#parts.get(index) ?? new Uint8Array(2 ** 17);
    this.#parts.set(index, part);
    const [at, bit] = [Math.floor((value % 2 ** 20) / 8), 1 << (value % 8)];
    if (part[at]! & bit) return false;
    part[at]! |= bit;
    return true;
  }
}

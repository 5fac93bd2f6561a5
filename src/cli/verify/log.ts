import type { Pool } from '../../platform/db.ts';
import { startOfLog, type EventType, type LogPosition } from '../../platform/events.ts';
import type { Progress } from '../command.ts';
import type { Check } from './check.ts';
import { partsOf } from './keys.ts';
import * as queries from './log-queries.ts';
import type { SignersEvent, Update } from './log-queries.ts';
import { atOneMoment, placesOfFollowers, settledEnd } from './snapshot.ts';

/** What happened of which the signers of a petition are told. */
const signersTypes: EventType[] = [
  'update.created',
  'petition.victory',
  'petition.closed',
  'response.published',
];

/** What other checks need of the whole log. */
export interface LogFacts {
  /** Since a time, oldest first. */
  ofSigners: SignersEvent[];
  /** The last changes of petitions of organizations. */
  updates: Map<string, Update>;
  /** The highest position. */
  highest: bigint;
}

interface Options {
  db: Pool;
  keptSince: Date;
  checks: { log: Check; days: Check };
  progress: Progress;
}

/**
 * Reads the log once, page by page, up to where it is settled: what is read does not change any more. Positions are
 * unique, and followers have come no further than the log.
 */
export async function checkLog(options: Options): Promise<LogFacts> {
  const { db, keptSince, checks, progress } = options;
  const end = await atOneMoment(db, settledEnd);
  const facts: LogFacts = { ofSigners: [], updates: new Map(), highest: 0n };
  const seen = new NumberSet();
  for await (const part of pagesUpTo(db, end)) {
    const positions = await atOneMoment(db, (tx) => queries.positionsIn(tx, part));
    for (const position of positions) {
      if (!seen.add(Number(position))) checks.log.found(`position ${position} has two events`);
      if (BigInt(position) > facts.highest) facts.highest = BigInt(position);
    }
    checks.log.saw(positions.length);
    await atOneMoment(db, async (tx) => {
      facts.ofSigners.push(...(await queries.eventsOfTypes(tx, part, signersTypes, keptSince)));
      for (const one of await queries.lastUpdates(tx, part)) {
        facts.updates.set(one.petition_id, one);
      }
    });
    progress.show(`${checks.log.lookedAt} events`);
  }
  await atOneMoment(db, async (tx) => {
    const beyond = await queries.eventsBeyond(tx);
    if (beyond) checks.log.found(`event ${beyond} is of a transaction that is yet to come`);
    for (const one of await queries.followerStates(tx, String(facts.highest))) {
      if (one.beyond) checks.log.found(`follower ${one.name} stands beyond the log`);
    }
  });
  return facts;
}

/** The log up to a place, in pages. */
export const pagesUpTo = (db: Pool, to: LogPosition, after: LogPosition = startOfLog) =>
  partsOf({ after, to }, (range) => atOneMoment(db, (tx) => queries.endOfPage(tx, range)));

/** Signatures of each day are those of which its follower has seen events. */
export async function checkDays({ db, keptSince, checks }: Options): Promise<void> {
  const { days, place } = await atOneMoment(db, async (tx) => ({
    days: await queries.storedDays(tx, keptSince),
    place: (await placesOfFollowers(tx)).get('signature-days'),
  }));
  if (!place || days.length === 0) return;
  const told = new Map<string, number>();
  for await (const part of pagesUpTo(db, place)) {
    for (const { day, given } of await queries.signaturesByDay(db, part)) {
      told.set(day, (told.get(day) ?? 0) + given);
    }
  }
  checks.days.saw(days.length);
  for (const { day, given } of days) {
    const expected = told.get(day) ?? 0;
    if (given !== expected) checks.days.found(`day ${day}: ${given}, ${expected} were told`);
  }
}

/** Whole numbers that lie close together, one bit each. */
class NumberSet {
  #parts = new Map<number, Uint8Array>();

  /** False where it is there already. */
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

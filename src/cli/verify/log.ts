import type { Db, Pool } from '../../platform/db.ts';
import type { EventType, LogPosition } from '../../platform/events.ts';
import type { Progress } from '../command.ts';
import { isEventIn, logPages, type LogRange } from './pages.ts';
import { settledPosition } from './snapshot.ts';

/** What several checks need from the whole log. */
export interface LogSummary {
  eventCount: number;
  /** Each position for each event after its first one. */
  repeatedPositions: number[];
  maxPosition: bigint;
  /** The events that notify signers, oldest first. */
  signersEvents: SignersEvent[];
  /** The last petition.updated of each petition of an organization. */
  lastUpdates: Map<string, PetitionUpdate>;
}

/** An event that notifies the signers of its petition. */
export interface SignersEvent extends LogPosition {
  id: string;
  petition_id: string;
  actor_id: string | null;
  created_at: Date;
}

export interface PetitionUpdate extends LogPosition {
  petition_id: string;
}

/** Types of events that notify the signers of a petition. */
const signersTypes: EventType[] = [
  'update.created',
  'petition.victory',
  'petition.closed',
  'response.published',
];

/**
 * Reads the log, page by page, up to its settled position, before which it no longer changes. The summary is read once
 * for all checks: the log has no index of positions or types, so each of them would read all of it.
 */
export async function readLog(db: Pool, keptSince: Date, progress: Progress): Promise<LogSummary> {
  const summary: LogSummary = {
    eventCount: 0,
    repeatedPositions: [],
    maxPosition: 0n,
    signersEvents: [],
    lastUpdates: new Map(),
  };
  const seen = new NumberSet();
  for await (const page of logPages(db, await settledPosition(db))) {
    const positions = await positionsIn(db, page);
    for (const position of positions) {
      if (!seen.add(Number(position))) summary.repeatedPositions.push(Number(position));
      if (BigInt(position) > summary.maxPosition) summary.maxPosition = BigInt(position);
    }
    summary.eventCount += positions.length;
    summary.signersEvents.push(...(await signersEventsIn(db, page, keptSince)));
    for (const update of await lastUpdatesIn(db, page)) {
      summary.lastUpdates.set(update.petition_id, update);
    }
    progress.show(`${summary.eventCount} events`);
  }
  return summary;
}

/** A set of dense whole numbers, as a bitmap. */
class NumberSet {
  #parts = new Map<number, Uint8Array>();

  /** Returns false if the set has the value already. */
  add(value: number): boolean {
    const index = Math.floor(value / 2 ** 20);
    const part = this.#parts.getOrInsertComputed(index, () => new Uint8Array(2 ** 17));
    const [at, bit] = [Math.floor((value % 2 ** 20) / 8), 1 << (value % 8)];
    if (part[at]! & bit) return false;
    part[at]! |= bit;
    return true;
  }
}

async function positionsIn(db: Db, page: LogRange): Promise<string[]> {
  const positions = await db.value<string | null>`
    select string_agg(e.position::text, ',') as positions from events e
    where ${isEventIn(db, page)}`;
  return positions?.split(',') ?? [];
}

/** Reads the events since a time that notify signers, oldest first. */
async function signersEventsIn(db: Db, page: LogRange, since: Date): Promise<SignersEvent[]> {
  return db<SignersEvent[]>`
    select e.transaction::text, e.position::text, e.id, e.petition_id, e.actor_id, e.created_at
    from events e
    where ${isEventIn(db, page)} and e.type = any(${signersTypes}::text[])
      and e.created_at >= ${since}
    order by e.transaction, e.position`;
}

/** Reads the last petition.updated event in the range of each petition of an organization. */
async function lastUpdatesIn(db: Db, page: LogRange): Promise<PetitionUpdate[]> {
  return db<PetitionUpdate[]>`
    select distinct on (e.petition_id) e.petition_id, e.transaction::text, e.position::text
    from events e join petitions p on p.id = e.petition_id and p.org_id is not null
    where ${isEventIn(db, page)} and e.type = 'petition.updated'
    order by e.petition_id, e.transaction desc, e.position desc`;
}

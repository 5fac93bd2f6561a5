import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { retentionMs } from '../../platform/retention.ts';
import * as queries from './sum-queries.ts';
import { allSums, type Cell } from './sum-queries.ts';

const hourMs = 3_600_000;
/** Maximum window of a map, in hours. */
export const maxWindowHours = retentionMs('place_hours') / hourMs;
/** Returns the time before which no map reads: a window begins with a whole hour. */
export const windowStart = (now: Date) => new Date(now.getTime() - (maxWindowHours + 1) * hourMs);

/** Maintains the sums of signatures from events. */
export const sumsFollower = (ctx: Context): EventFollower => ({
  name: queries.followerName,
  types: queries.summedTypes,
  // Large batches update far fewer rows than many small ones, and readers accept the delay.
  coalesceMs: 1000,
  batchSize: 5000,
  handleEvents: (tx, events) => follow(tx, events, ctx.now()),
});

async function follow(tx: Tx, events: LoggedEvent[], now: Date): Promise<void> {
  const petitionIds = events.flatMap(({ petitionId }) => petitionId ?? []);
  const positions = await queries.rebuiltPositions(tx, [...new Set(petitionIds)]);
  const newEvents = events.filter(
    ({ petitionId, position }) => !(BigInt(position) <= (positions.get(petitionId ?? '') ?? -1n)),
  );
  const cells = cellsOf(newEvents);
  if (cells.length === 0) return;
  const since = windowStart(now);
  for (const sum of allSums) await queries.addCells(tx, sum, cells, since);
  if (cells.every(({ count }) => count > 0)) return;
  for (const sum of allSums) await queries.deleteEmpty(tx, sum, cells);
}

/** A signature of the time of its event, or of before: one that was withdrawn, or released by a moderator. */
const signed =
  (count: 1 | -1) =>
  (event: LoggedEvent): Cell[] => [
    cell(event, { ...event.data, hour: event.data.signed_at ?? event.createdAt, count: 1 }, count),
  ];

const inParts = (sign: 1 | -1) => (event: LoggedEvent) =>
  event.parts.map((part) => cell(event, part, sign));

type CellReader = (event: LoggedEvent) => Cell[];

/** Returns the cells that each type of event adds or subtracts. */
const cellReaders: Partial<Record<EventType, CellReader>> = {
  'signature.created': signed(1),
  'signature.removed': signed(-1),
  'signature.invalidated': inParts(-1),
  'signature.restored': inParts(1),
} satisfies Record<(typeof queries.summedTypes)[number], CellReader>;

function cell({ petitionId }: LoggedEvent, facts: Record<string, unknown>, sign: 1 | -1): Cell {
  const time = new Date(facts.hour as string | Date).getTime();
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    petition_id: petitionId!,
    hour: new Date(time - (time % hourMs)).toISOString(),
    place: text(facts.place),
    source: text(facts.source),
    count: sign * Number(facts.count),
  };
}

/** Returns the cells that the events change, each once. */
export function cellsOf(events: LoggedEvent[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const event of events) {
    for (const change of cellReaders[event.type]?.(event) ?? []) {
      const key = JSON.stringify([change.petition_id, change.hour, change.place, change.source]);
      const sum = cells.get(key);
      if (sum) sum.count += change.count;
      else cells.set(key, change);
    }
  }
  return [...cells.values()].filter(({ count }) => count !== 0);
}

/** Deletes sums that no map shows any more, and obsolete records of rebuilds. */
export async function deleteOldSums(ctx: Context): Promise<void> {
  const before = new Date(windowStart(ctx.now()).getTime() - hourMs);
  await queries.deleteOldPlaces(ctx.db, before);
  await queries.deleteOldRebuilds(ctx.db);
}

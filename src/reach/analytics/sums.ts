import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import * as queries from './sum-queries.ts';
import { allSums, type Cell } from './sum-queries.ts';

const hourMilliseconds = 3_600_000;
/** The longest window of a map, in hours. */
export const longestWindow = 168;
/** So old are hours for which no map is kept any more: an hour older than the window, since a map begins with a whole one. */
export const windowStart = (now: Date) =>
  new Date(now.getTime() - (longestWindow + 1) * hourMilliseconds);

/** Keeps the sums of signatures, from what happened. */
export const sumsFollower = (ctx: Context): EventFollower => ({
  name: queries.followerName,
  types: Object.keys(readers) as EventType[],
  // Large batches change far fewer rows than many small ones; nobody needs these sums at once.
  gatherMilliseconds: 1000,
  batchSize: 5000,
  follow: (tx, events) => follow(tx, events, ctx.now()),
});

async function follow(tx: Tx, events: LoggedEvent[], now: Date): Promise<void> {
  const petitionIds = events.flatMap(({ petitionId }) => petitionId ?? []);
  const upTo = await queries.rebuiltUpTo(tx, [...new Set(petitionIds)]);
  const news = events.filter(
    ({ petitionId, position }) => !(BigInt(position) <= (upTo.get(petitionId ?? '') ?? -1n)),
  );
  const cells = cellsOf(news);
  if (cells.length === 0) return;
  const since = windowStart(now);
  for (const sum of allSums) await queries.addCells(tx, sum, cells, since);
  if (cells.every(({ count }) => count > 0)) return;
  for (const sum of allSums) await queries.removeEmpty(tx, sum, cells);
}

const signed =
  (count: 1 | -1, timeOf: (event: LoggedEvent) => unknown) =>
  (event: LoggedEvent): Cell[] => [
    cell(event, { ...event.data, hour: timeOf(event), count: 1 }, count),
  ];

const moved = (sign: 1 | -1) => (event: LoggedEvent) =>
  event.parts.map((part) => cell(event, part, sign));

/** What each kind of event adds or takes away. */
const readers: Partial<Record<EventType, (event: LoggedEvent) => Cell[]>> = {
  'signature.created': signed(1, ({ createdAt }) => createdAt),
  'signature.removed': signed(-1, ({ data, createdAt }) => data.signed_at ?? createdAt),
  'signature.invalidated': moved(-1),
  'signature.restored': moved(1),
};

function cell({ petitionId }: LoggedEvent, facts: Record<string, unknown>, sign: 1 | -1): Cell {
  const time = new Date(facts.hour as string | Date).getTime();
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    petition_id: petitionId!,
    hour: new Date(time - (time % hourMilliseconds)).toISOString(),
    place: text(facts.place),
    source: text(facts.source),
    count: sign * Number(facts.count),
  };
}

/** What the events add and take away, each cell once. */
export function cellsOf(events: LoggedEvent[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const event of events) {
    for (const one of readers[event.type]?.(event) ?? []) {
      const key = JSON.stringify([one.petition_id, one.hour, one.place, one.source]);
      const known = cells.get(key);
      if (known) known.count += one.count;
      else cells.set(key, one);
    }
  }
  return [...cells.values()].filter(({ count }) => count !== 0);
}

/** Removes what no map shows any more, and notes that are not needed any more. */
export async function forgetOldSums(ctx: Context): Promise<void> {
  const before = new Date(windowStart(ctx.now()).getTime() - hourMilliseconds);
  await queries.removeOldPlaces(ctx.db, before);
  await queries.removeOldNotes(ctx.db);
}

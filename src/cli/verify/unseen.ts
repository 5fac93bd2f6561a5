import { shareSignatureSums, signaturesByShare } from '../../campaigns/shares/signature-sums.ts';
import type { Db, Tx } from '../../platform/db.ts';
import {
  eventColumns,
  isAfter,
  toLoggedEvent,
  type EventRow,
  type LoggedEvent,
  type LogPosition,
} from '../../platform/events.ts';
import { followerName as sumsName, rebuiltPositions } from '../../reach/analytics/sum-queries.ts';
import type { Cell } from '../../reach/analytics/sum-queries.ts';
import { cellsOf } from '../../reach/analytics/sums.ts';
import { isPetitionEventIn, type PetitionEventRange } from './pages.ts';

/** What stored sums lack, since their follower has not seen all events. */
export interface Unseen {
  /** Cells that `signature-sums` lacks, of each page of events. */
  cells: Cell[][];
  /** Signatures that each share lacks. */
  signaturesByShare: Map<string, number>;
}

/**
 * Adds up the events that followers have not seen yet, in one pass for both of them. A pass for each took up to 60%
 * longer in all with 300,000 unseen events. A follower that has not started lacks nothing.
 */
export async function readUnseen(
  tx: Tx,
  pages: PetitionEventRange[],
  followers: Map<string, LogPosition>,
): Promise<Unseen> {
  const unseen: Unseen = { cells: [], signaturesByShare: new Map() };
  const positions = [sumsName, shareSignatureSums.name].flatMap(
    (name) => followers.get(name) ?? [],
  );
  const [lowest] = positions.toSorted((a, b) => (isAfter(a, b) ? 1 : -1));
  if (!lowest) return unseen;
  for (const page of pages) {
    const events = await signatureEventsAfter(tx, page, lowest);
    if (events.length === 0) continue;
    const unseenBy = (name: string) => {
      const seen = followers.get(name);
      return seen ? events.filter((event) => isAfter(event, seen)) : [];
    };
    const cells = cellsOf(await withoutRebuilt(tx, unseenBy(sumsName)));
    if (cells.length > 0) unseen.cells.push(cells);
    for (const [id, count] of signaturesByShare(unseenBy(shareSignatureSums.name))) {
      unseen.signaturesByShare.set(id, (unseen.signaturesByShare.get(id) ?? 0) + count);
    }
  }
  return unseen;
}

/** Excludes events that are in the rebuilt sums of their petition, though the follower has not seen them. */
async function withoutRebuilt(tx: Tx, events: LoggedEvent[]): Promise<LoggedEvent[]> {
  const petitionIds = new Set(events.flatMap(({ petitionId }) => petitionId ?? []));
  const rebuilt = await rebuiltPositions(tx, [...petitionIds]);
  return events.filter(
    ({ petitionId, position }) => BigInt(position) > (rebuilt.get(petitionId ?? '') ?? -1n),
  );
}

async function signatureEventsAfter(
  db: Db,
  page: PetitionEventRange,
  { transaction, position }: LogPosition,
): Promise<LoggedEvent[]> {
  const rows = await db<EventRow[]>`
    select ${eventColumns(db)} from events e
    where ${isPetitionEventIn(db, page)} and e.type like 'signature.%'
      and (e.transaction, e.position) > (${transaction}::xid8, ${position}::bigint)`;
  return rows.map(toLoggedEvent);
}

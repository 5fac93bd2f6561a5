import type { Tx } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { addSignatures } from './sum-queries.ts';

/** Whether an event adds to the count or subtracts from it. */
const countSigns: Partial<Record<EventType, 1 | -1>> = {
  'signature.created': 1,
  'signature.restored': 1,
  'signature.removed': -1,
  'signature.invalidated': -1,
};

/** Maintains the number of valid signatures of each share. */
export const shareSignatureSums: EventFollower = {
  name: 'share-signatures',
  types: Object.keys(countSigns) as EventType[],
  handleEvents: sumSignatures,
};

/** Returns the difference that these events make to the valid signatures of each share. */
export function signaturesByShare(events: LoggedEvent[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { type, data, parts } of events) {
    for (const { share_id, count = 1 } of [data, ...parts]) {
      if (typeof share_id !== 'string') continue;
      sums.set(share_id, (sums.get(share_id) ?? 0) + (countSigns[type] ?? 0) * Number(count));
    }
  }
  return sums;
}

async function sumSignatures(tx: Tx, events: LoggedEvent[]): Promise<void> {
  const changed = [...signaturesByShare(events)].filter(([, count]) => count !== 0);
  if (changed.length === 0) return;
  await addSignatures(
    tx,
    changed.map(([share_id, count]) => ({ share_id, count })),
  );
}

import type { Tx } from '../../platform/db.ts';
import type { EventType, LoggedEvent } from '../../platform/events.ts';
import type { EventFollower } from '../../platform/followers.ts';
import { addSignatures } from './sum-queries.ts';

/** Whether what an event is about counts from then on, or no more. */
const signs: Partial<Record<EventType, 1 | -1>> = {
  'signature.created': 1,
  'signature.restored': 1,
  'signature.removed': -1,
  'signature.invalidated': -1,
};

/** Keeps the sums of valid signatures that came by each share. */
export const signatureSums: EventFollower = {
  name: 'share-signatures',
  types: Object.keys(signs) as EventType[],
  follow: sumSignatures,
};

/** How many valid signatures these events add to each share, or take away from it. */
export function signaturesByShare(events: LoggedEvent[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { type, data, parts } of events) {
    for (const { share_id, count = 1 } of [data, ...parts]) {
      if (typeof share_id !== 'string') continue;
      sums.set(share_id, (sums.get(share_id) ?? 0) + (signs[type] ?? 0) * Number(count));
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

import type { LogPosition } from '../../platform/events.ts';

export const firstUuid = '00000000-0000-0000-0000-000000000000';
export const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const lastPosition: LogPosition = {
  transaction: '18446744073709551615',
  position: '9223372036854775807',
};

/** Ids after `after`, up to and including `to`. */
export interface IdRange {
  after: string;
  to: string;
}

export const allIds: IdRange = { after: firstUuid, to: lastUuid };

/** The range of a single id. */
export function rangeOf(id: string): IdRange {
  const before = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const hex = before.toString(16).padStart(32, '0');
  const after = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { after, to: id };
}

/** Primary key of a signature. */
export interface SignatureKey {
  petitionId: string;
  id: string;
}

/** Position of an event in the log of its petition. */
export interface EventKey extends LogPosition {
  petitionId: string;
}

/** Keys after `after`, up to and including `to`. */
export interface KeyRange<Key> {
  after: Key;
  to: Key;
}

/** The signatures of all petitions in a range. */
export const signaturesOf = ({ after, to }: IdRange): KeyRange<SignatureKey> => ({
  after: { petitionId: after, id: lastUuid },
  to: { petitionId: to, id: lastUuid },
});

/** The events of all petitions in a range. */
export const eventsOf = ({ after, to }: IdRange): KeyRange<EventKey> => ({
  after: { petitionId: after, ...lastPosition },
  to: { petitionId: to, ...lastPosition },
});

/** Divides a range into parts. `endOf` returns the last key of a full part; undefined if less is left. */
export async function* partsOf<Key>(
  range: KeyRange<Key>,
  endOf: (range: KeyRange<Key>) => Promise<Key | undefined>,
): AsyncGenerator<KeyRange<Key>> {
  let { after } = range;
  for (;;) {
    const end = await endOf({ after, to: range.to });
    yield { after, to: end ?? range.to };
    if (end === undefined) return;
    after = end;
  }
}

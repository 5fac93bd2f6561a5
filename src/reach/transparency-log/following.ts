import type { Actor, EventType, LoggedEvent } from '../../platform/events.ts';
import type { Change, Changes, TextChange } from './sequencing.ts';

/** Reads what events say may have changed. */
export function changesOf(events: readonly LoggedEvent[]): Changes {
  const texts: TextChange[] = [];
  const signatures = new Map<string, Change>();
  const forgotten = new Set<string>();
  for (const event of events) {
    if (event.petitionId === null) continue;
    if (petitionEvents.has(event.type)) texts.push(textChange(event, event.petitionId));
    for (const change of signatureChanges(event, event.petitionId)) {
      if (change.effect === 'nothing' && signatures.has(change.id)) continue;
      // The last event of a signature decides, at its place.
      signatures.delete(change.id);
      signatures.set(change.id, change);
    }
    if (event.type === 'signature.forgotten') forgotten.add(String(event.data.signature_id));
  }
  return {
    texts,
    signatures: [...signatures.values()],
    forgotten: [...forgotten],
  };
}

/** Whether an event can lead to entries about a text or an import. */
export const isAboutText = (type: EventType): boolean => petitionEvents.has(type);

/** Whether the log has to do with an event. */
export const concernsLog = ({ type, petitionId }: LoggedEvent): boolean =>
  petitionId !== null && (petitionEvents.has(type) || signatureEvents.has(type));

/** Texts up to the version that the event names, or to the present one. */
const textChange = ({ data }: LoggedEvent, petitionId: string): TextChange => ({
  petitionId,
  upTo: typeof data.version === 'number' ? data.version : null,
});

const petitionEvents = new Set<EventType>([
  'petition.published',
  'petition.updated',
  'petition.imported',
]);
const signatureEvents = new Set<EventType>([
  'signature.created',
  'signature.removed',
  'signature.invalidated',
  'signature.restored',
  'signature.forgotten',
]);

function signatureChanges({ type, data, items, actor }: LoggedEvent, petitionId: string): Change[] {
  const one = { petitionId, id: String(data.signature_id) };
  const each = items.map(({ id }) => ({ petitionId, id: String(id) }));
  switch (type) {
    case 'signature.created':
      return [{ ...one, effect: 'counts', cause: 'removed' }];
    case 'signature.removed':
      return [
        { ...one, effect: 'counts-no-longer', cause: isSigner(actor) ? 'withdrawn' : 'removed' },
      ];
    case 'signature.invalidated':
      return each.map((key) => ({ ...key, effect: 'counts-no-longer', cause: 'invalidated' }));
    case 'signature.restored':
      return each.map((key) => ({ ...key, effect: 'counts', cause: 'removed' }));
    case 'signature.forgotten':
      return [{ ...one, effect: 'nothing', cause: 'removed' }];
    default:
      return [];
  }
}

/** Whether a signature was removed by its signer, and not by an administrator or in favour of another one. */
const isSigner = ({ type }: Actor): boolean => type === 'user' || type === 'api_key';

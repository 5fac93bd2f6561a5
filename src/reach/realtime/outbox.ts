import type { EventType, LoggedEvent, LogPosition } from '../../platform/events.ts';
import type { RealtimeMessage } from './schema.ts';

/** One or more events of a petition, merged into what one message reports. */
export interface PendingMessage {
  type: Exclude<RealtimeMessage['type'], 'subscribed'>;
  /** How many signatures came or went; 1 for other types. */
  events: number;
  /** The newest event in it. */
  newest: LogPosition;
  /** The newest new signatures, the newest last. */
  signatureIds: string[];
  /** Count of the milestone. */
  threshold?: number;
  updateId?: string;
}

/** New signatures that a message lists. */
const maxSignatures = 20;

/** Watchers get a message of this type for an event; for other events, none. */
const messageTypes: Partial<Record<EventType, PendingMessage['type']>> = {
  'signature.created': 'signature.created',
  'signature.restored': 'signature.created',
  'signature.removed': 'signature.removed',
  'signature.invalidated': 'signature.removed',
  'signature.milestone': 'signature.milestone',
  'petition.closed': 'petition.closed',
  'petition.victory': 'petition.victory',
  'update.created': 'update.created',
};

interface QueuedMessage {
  message: PendingMessage;
  /** Resume id of the event before the first one in the message. */
  previousId: string;
}

/** Returns the id by which watchers resume after the event. */
export const resumeId = (event: Pick<LoggedEvent, 'transaction' | 'position'>): string =>
  `${event.transaction}-${event.position}`;

/** Messages to send to the watchers of one petition. Waiting signatures are merged into one message. */
export class Outbox {
  #waiting: QueuedMessage[] = [];
  #lastId: string;

  /** `lastId` is the id of the last event that watchers have. */
  constructor(lastId: string) {
    this.#lastId = lastId;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Where a watcher resumes that has received everything so far. */
  get resumeId(): string {
    return this.#waiting[0]?.previousId ?? this.#lastId;
  }

  /** Adds an event. Skips those that watchers do not get, so that ids do not depend on them. */
  add(event: LoggedEvent): void {
    const type = messageTypes[event.type];
    // The end of a rule, or places that were read again, change no count.
    if (!type || countIn(event) === 0) return;
    const previousId = this.#lastId;
    this.#lastId = resumeId(event);
    const message = this.#mergeTarget(type) ?? this.#append(type, previousId, event);
    message.events += countIn(event);
    message.newest = event;
    const { signature_id: signatureId, signature_count: count, update_id: updateId } = event.data;
    if (type === 'signature.created' && typeof signatureId === 'string') {
      message.signatureIds.push(signatureId);
      if (message.signatureIds.length > maxSignatures) message.signatureIds.shift();
    }
    if (type === 'signature.milestone') message.threshold = Number(count);
    if (typeof updateId === 'string') message.updateId = updateId;
  }

  /** Removes and returns the next message. */
  takeNext(): PendingMessage | undefined {
    return this.#waiting.shift()?.message;
  }

  /** Puts back a message that could not be sent. `previousId` is `resumeId` from before it was taken. */
  putBack(message: PendingMessage, previousId: string): void {
    this.#waiting.unshift({ message, previousId });
  }

  #mergeTarget(type: PendingMessage['type']): PendingMessage | undefined {
    if (type !== 'signature.created' && type !== 'signature.removed') return undefined;
    return this.#waiting.find(({ message }) => message.type === type)?.message;
  }

  #append(type: PendingMessage['type'], previousId: string, newest: LogPosition): PendingMessage {
    const message: PendingMessage = { type, events: 0, newest, signatureIds: [] };
    this.#waiting.push({ message, previousId });
    return message;
  }
}

/** Signatures that are invalidated or restored together share one event, with their `count`. */
const countIn = ({ data }: LoggedEvent): number =>
  typeof data.count === 'number' ? data.count : 1;

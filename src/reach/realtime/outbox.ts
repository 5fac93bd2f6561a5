import type { EventType, LoggedEvent, LogPosition } from '../../platform/events.ts';

/** One or more events of a petition, merged into what one message reports. */
export interface PendingMessage {
  type:
    | 'signature.created'
    | 'signature.removed'
    | 'signature.milestone'
    | 'petition.closed'
    | 'petition.victory'
    | 'update.created';
  /** How many signatures came or went; 1 for other types. */
  events: number;
  /** The newest event in it. */
  newest: LogPosition;
  /** The newest new signatures, the newest last. */
  signatureIds: string[];
  /** Count of the milestone. */
  threshold: number | undefined;
  updateId: string | undefined;
}

/** New signatures that a message lists. */
const maxSignatures = 20;

/** Watchers get a message of this type for an event; for other events, none. */
const noticeTypes: Partial<Record<EventType, PendingMessage['type']>> = {
  'signature.created': 'signature.created',
  'signature.restored': 'signature.created',
  'signature.removed': 'signature.removed',
  'signature.invalidated': 'signature.removed',
  'signature.milestone': 'signature.milestone',
  'petition.closed': 'petition.closed',
  'petition.victory': 'petition.victory',
  'update.created': 'update.created',
};

interface WaitingNotice {
  notice: PendingMessage;
  /** Resume id of the event before the first one in the notice. */
  previousId: string;
}

/** Returns the id by which watchers resume after the event. */
export const resumeId = (event: Pick<LoggedEvent, 'transaction' | 'position'>): string =>
  `${event.transaction}-${event.position}`;

/** Notices to send to the watchers of one petition. Waiting signatures are merged into one notice. */
export class Outbox {
  #waiting: WaitingNotice[] = [];
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

  /** Adds an event. Skips types that watchers do not get, so that ids do not depend on them. */
  add(event: LoggedEvent): void {
    const type = noticeTypes[event.type];
    if (!type) return;
    const previousId = this.#lastId;
    this.#lastId = resumeId(event);
    const notice = this.#mergeTarget(type) ?? this.#append(type, previousId, event);
    notice.events += countIn(event);
    notice.newest = event;
    const { signature_id: signatureId, signature_count: count, update_id: updateId } = event.data;
    if (type === 'signature.created' && typeof signatureId === 'string') {
      notice.signatureIds.push(signatureId);
      if (notice.signatureIds.length > maxSignatures) notice.signatureIds.shift();
    }
    if (type === 'signature.milestone') notice.threshold = Number(count);
    if (typeof updateId === 'string') notice.updateId = updateId;
  }

  /** Removes and returns the next notice. */
  takeNext(): PendingMessage | undefined {
    return this.#waiting.shift()?.notice;
  }

  /** Puts back a notice that could not be sent. `previousId` is `resumeId` from before it was taken. */
  putBack(notice: PendingMessage, previousId: string): void {
    this.#waiting.unshift({ notice, previousId });
  }

  #mergeTarget(type: PendingMessage['type']): PendingMessage | undefined {
    if (type !== 'signature.created' && type !== 'signature.removed') return undefined;
    return this.#waiting.find(({ notice }) => notice.type === type)?.notice;
  }

  #append(type: PendingMessage['type'], previousId: string, newest: LogPosition): PendingMessage {
    const notice = {
      type,
      events: 0,
      newest,
      signatureIds: [],
      threshold: undefined,
      updateId: undefined,
    };
    this.#waiting.push({ notice, previousId });
    return notice;
  }
}

/** Signatures that are invalidated or restored together share one event, with their `count`. */
const countIn = ({ data }: LoggedEvent): number =>
  typeof data.count === 'number' ? data.count : 1;

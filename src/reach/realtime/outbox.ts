import type { EventType, LoggedEvent, LogPosition } from '../../platform/events.ts';

/** What happened to a petition and is told to its watchers, folded where it comes in numbers. */
export interface Notice {
  type:
    | 'signature.created'
    | 'signature.removed'
    | 'signature.milestone'
    | 'petition.closed'
    | 'petition.victory'
    | 'update.created';
  /** How many events it stands for. */
  events: number;
  /** The newest of them. */
  newest: LogPosition;
  /** Of signatures that came, the newest last. */
  signatureIds: string[];
  /** Of a milestone. */
  threshold: number | undefined;
  updateId: string | undefined;
}

/** The newest signatures that a message shows. */
const shownSignatures = 20;

/** How each event reaches watchers; others do not. */
const noticeTypes: Partial<Record<EventType, Notice['type']>> = {
  'signature.created': 'signature.created',
  'signature.restored': 'signature.created',
  'signature.removed': 'signature.removed',
  'signature.invalidated': 'signature.removed',
  'signature.milestone': 'signature.milestone',
  'petition.closed': 'petition.closed',
  'petition.victory': 'petition.victory',
  'update.created': 'update.created',
};

interface Waiting {
  notice: Notice;
  /** Id of the event before the first that it stands for. */
  before: string;
}

/** The id of an event among those that watchers resume from. */
export const resumeId = (event: Pick<LoggedEvent, 'transaction' | 'position'>): string =>
  `${event.transaction}-${event.position}`;

/** What waits to be told to the watchers of one petition. Signatures are folded into one notice. */
export class Outbox {
  #waiting: Waiting[] = [];
  #last: string;

  /** `last` is the id of the last event that watchers know of. */
  constructor(last: string) {
    this.#last = last;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Where a watcher that has been told everything so far resumes from. */
  get id(): string {
    return this.#waiting[0]?.before ?? this.#last;
  }

  /** Adds what watchers are told of; other events pass it by, so that ids do not depend on them. */
  add(event: LoggedEvent): void {
    const type = noticeTypes[event.type];
    if (!type) return;
    const before = this.#last;
    this.#last = resumeId(event);
    const notice = this.#foldable(type) ?? this.#push(type, before, event);
    notice.events += numberOf(event);
    notice.newest = event;
    const { signature_id: signatureId, signature_count: count, update_id: updateId } = event.data;
    if (type === 'signature.created' && typeof signatureId === 'string') {
      notice.signatureIds.push(signatureId);
      if (notice.signatureIds.length > shownSignatures) notice.signatureIds.shift();
    }
    if (type === 'signature.milestone') notice.threshold = Number(count);
    if (typeof updateId === 'string') notice.updateId = updateId;
  }

  /** The next notice to tell. */
  take(): Notice | undefined {
    return this.#waiting.shift()?.notice;
  }

  /** Puts back what could not be told. `before` is what `id` was when it was taken. */
  putBack(notice: Notice, before: string): void {
    this.#waiting.unshift({ notice, before });
  }

  #foldable(type: Notice['type']): Notice | undefined {
    if (type !== 'signature.created' && type !== 'signature.removed') return undefined;
    return this.#waiting.find(({ notice }) => notice.type === type)?.notice;
  }

  #push(type: Notice['type'], before: string, newest: LogPosition): Notice {
    const notice = {
      type,
      events: 0,
      newest,
      signatureIds: [],
      threshold: undefined,
      updateId: undefined,
    };
    this.#waiting.push({ notice, before });
    return notice;
  }
}

/** Of signatures that were invalidated or restored together, the event tells how many. */
const numberOf = ({ data }: LoggedEvent): number =>
  typeof data.count === 'number' ? data.count : 1;

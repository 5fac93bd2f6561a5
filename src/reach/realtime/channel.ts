import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../platform/context.ts';
import type { LoggedEvent } from '../../platform/events.ts';
import { shownSignatures } from '../../campaigns/signatures/signatures.ts';
import { type CountRead, WrittenMessage } from './message.ts';
import { Outbox, type Notice } from './outbox.ts';
import { countOf } from './queries.ts';

/** How a channel paces what it tells. */
export interface Pace {
  /** Least time between two messages of one petition, in milliseconds. */
  interval: number;
  /** Most time between them, where telling all watchers takes long. */
  longestInterval: number;
}

/** Four messages a second; with very many watchers fewer, but always one within a second. */
export const ordinaryPace: Pace = { interval: 250, longestInterval: 800 };
/** Telling watchers takes no more than this part of the process's time. */
const shareOfTime = 0.12;
/** Watchers told before other work has its turn. */
const portion = 500;
const retryMilliseconds = 1000;

/** Somebody who follows one petition. */
export interface Watcher {
  /** It has left. */
  readonly closed: boolean;
  tell(message: WrittenMessage): void;
  /** Called when it may be that it may not go on watching. */
  checkAccess(): void;
}

/** The watchers of one petition in this process, and what they are to be told. */
export class Channel {
  readonly petitionId: string;
  readonly watchers = new Set<Watcher>();
  #ctx: Context;
  #pace: Pace;
  #outbox: Outbox;
  #timer: NodeJS.Timeout | undefined;
  #toldAt = 0;
  #interval: number;
  /** While watchers are being told something: where those resume from who have not been. */
  #telling: string | undefined;
  #closed = false;
  #reading: Promise<CountRead> | undefined;
  #nextReading: Promise<CountRead> | undefined;
  #reads = 0;

  constructor(ctx: Context, petitionId: string, lastId: string, pace: Pace) {
    this.#ctx = ctx;
    this.petitionId = petitionId;
    this.#outbox = new Outbox(lastId);
    this.#pace = pace;
    this.#interval = pace.interval;
  }

  /** Where a watcher that was told everything so far resumes from. */
  get resumeId(): string {
    return this.#telling ?? this.#outbox.id;
  }

  take(event: LoggedEvent): void {
    this.#outbox.add(event);
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.watchers.clear();
  }

  /**
   * The petition's count, read after this was called. Those who ask while a read is under way share
   * the next one.
   */
  count(): Promise<CountRead> {
    this.#nextReading ??= this.#readAfter(this.#reading);
    return this.#nextReading;
  }

  async #readAfter(before: Promise<CountRead> | undefined): Promise<CountRead> {
    await before?.catch(() => {});
    this.#reading = this.#nextReading;
    this.#nextReading = undefined;
    const count = await countOf(this.#ctx.pools.main, this.petitionId);
    return { count, order: ++this.#reads };
  }

  #schedule(delay = this.#toldAt + this.#interval - performance.now()): void {
    if (this.#timer || this.#telling || this.#closed || this.#outbox.isEmpty) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#tellNext();
      },
      Math.max(0, delay),
    );
  }

  async #tellNext(): Promise<void> {
    const before = this.#outbox.id;
    this.#telling = before;
    const notice = this.#outbox.take()!;
    let delay: number | undefined;
    try {
      await this.#tell(await this.compose(notice, this.count()));
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'watchers could not be told and will be');
      this.#outbox.putBack(notice, before);
      delay = retryMilliseconds;
    }
    this.#telling = undefined;
    this.#schedule(delay);
  }

  /** The message about a notice. `id` is where one that comes after it begins. */
  async compose(
    notice: Notice,
    counting: Promise<CountRead>,
    id?: string,
  ): Promise<WrittenMessage> {
    const [countRead, signatures] = await Promise.all([
      counting,
      shownSignatures(this.#ctx, this.petitionId, notice.signatureIds),
    ]);
    return new WrittenMessage(
      {
        type: notice.type,
        id: id ?? this.#outbox.id,
        petition_id: this.petitionId,
        ...(notice.type === 'signature.created' && { added: notice.events, signatures }),
        ...(notice.type === 'signature.removed' && { removed: notice.events }),
        ...(notice.threshold !== undefined && { threshold: notice.threshold }),
        ...(notice.updateId !== undefined && { update_id: notice.updateId }),
      },
      countRead,
      notice.newest,
    );
  }

  /** Tells all watchers, in portions, so that other work does not wait for thousands of writes. */
  async #tell(message: WrittenMessage): Promise<void> {
    this.#toldAt = performance.now();
    let spent = 0;
    let told = 0;
    let since = this.#toldAt;
    for (const watcher of this.watchers) {
      watcher.tell(message);
      if (++told % portion === 0) {
        spent += performance.now() - since;
        await setImmediate();
        since = performance.now();
      }
    }
    spent += performance.now() - since;
    const { interval, longestInterval } = this.#pace;
    this.#interval = Math.min(Math.max(interval, spent / shareOfTime), longestInterval);
  }
}

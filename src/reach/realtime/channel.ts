import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../platform/context.ts';
import type { LoggedEvent } from '../../platform/events.ts';
import { findPublicSignatures } from '../../campaigns/signatures/signatures.ts';
import { type CountRead, SerializedMessage } from './message.ts';
import { Outbox, type PendingMessage } from './outbox.ts';
import { readCount } from './queries.ts';

export interface Pace {
  /** Minimum time between two messages of one petition. */
  intervalMs: number;
  /** Upper bound of the interval, which grows with the time that sending takes. */
  maxIntervalMs: number;
}

/** Four messages a second; fewer with very many watchers, but at least one a second. */
export const defaultPace: Pace = { intervalMs: 250, maxIntervalMs: 800 };
/** Sending takes at most this share of the process's time. */
const maxTimeShare = 0.12;
/** Watchers that are sent a message before the event loop runs other work. */
const watchersPerTurn = 500;
const retryMs = 1000;

/** Receives the messages of one petition in this process. */
export interface Watcher {
  send(message: SerializedMessage): void;
  /** Called after changes that can end the watcher's access. */
  checkAccess(): void;
}

/** The watchers of one petition in this process, and the messages to send to them. */
export class Channel {
  readonly petitionId: string;
  readonly watchers = new Set<Watcher>();
  #ctx: Context;
  #pace: Pace;
  #outbox: Outbox;
  #timer: NodeJS.Timeout | undefined;
  #lastSentAt = 0;
  #intervalMs: number;
  /** While a message is being sent: the resume id for watchers that have not received it. */
  #sendingFrom: string | undefined;
  #isClosed = false;
  #currentRead: Promise<CountRead> | undefined;
  #nextRead: Promise<CountRead> | undefined;
  #readCount = 0;

  constructor(ctx: Context, petitionId: string, lastId: string, pace: Pace) {
    this.#ctx = ctx;
    this.petitionId = petitionId;
    this.#outbox = new Outbox(lastId);
    this.#pace = pace;
    this.#intervalMs = pace.intervalMs;
  }

  /** Where a watcher resumes that has received everything so far. */
  get resumeId(): string {
    return this.#sendingFrom ?? this.#outbox.resumeId;
  }

  add(event: LoggedEvent): void {
    this.#outbox.add(event);
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.watchers.clear();
  }

  /** Returns the petition's count, read after this call. Calls during a read share the next read. */
  count(): Promise<CountRead> {
    this.#nextRead ??= this.#readAfter(this.#currentRead);
    return this.#nextRead;
  }

  async #readAfter(previous: Promise<CountRead> | undefined): Promise<CountRead> {
    await previous?.catch(() => {});
    this.#currentRead = this.#nextRead;
    this.#nextRead = undefined;
    const count = await readCount(this.#ctx.pools.main, this.petitionId);
    return { count, order: ++this.#readCount };
  }

  #schedule(delayMs = this.#lastSentAt + this.#intervalMs - performance.now()): void {
    if (this.#timer || this.#sendingFrom || this.#isClosed || this.#outbox.isEmpty) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#sendNext();
      },
      Math.max(0, delayMs),
    );
  }

  async #sendNext(): Promise<void> {
    const previousId = this.#outbox.resumeId;
    this.#sendingFrom = previousId;
    const pending = this.#outbox.takeNext()!;
    let delayMs: number | undefined;
    try {
      await this.#sendToAll(await this.compose(pending, this.count()));
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'could not send to watchers; will retry');
      this.#outbox.putBack(pending, previousId);
      delayMs = retryMs;
    }
    this.#sendingFrom = undefined;
    this.#schedule(delayMs);
  }

  /** Serializes a message. `id` is where a watcher resumes after it. */
  async compose(
    { type, events, newest, signatureIds, threshold, updateId }: PendingMessage,
    count: Promise<CountRead>,
    id?: string,
  ): Promise<SerializedMessage> {
    const [countRead, signatures] = await Promise.all([
      count,
      findPublicSignatures(this.#ctx, this.petitionId, signatureIds),
    ]);
    const content = {
      type,
      id: id ?? this.#outbox.resumeId,
      petition_id: this.petitionId,
      ...(type === 'signature.created' && { added: events, signatures }),
      ...(type === 'signature.removed' && { removed: events }),
      ...(threshold !== undefined && { threshold }),
      ...(updateId !== undefined && { update_id: updateId }),
    };
    return new SerializedMessage(content, countRead, newest);
  }

  /** Sends to all watchers in turns, so that other work does not wait for thousands of writes. */
  async #sendToAll(message: SerializedMessage): Promise<void> {
    this.#lastSentAt = performance.now();
    let spentMs = 0;
    let sent = 0;
    let turnStart = this.#lastSentAt;
    for (const watcher of this.watchers) {
      watcher.send(message);
      if (++sent % watchersPerTurn === 0) {
        spentMs += performance.now() - turnStart;
        await setImmediate();
        turnStart = performance.now();
      }
    }
    spentMs += performance.now() - turnStart;
    const { intervalMs, maxIntervalMs } = this.#pace;
    this.#intervalMs = Math.min(Math.max(intervalMs, spentMs / maxTimeShare), maxIntervalMs);
  }
}

import { Gauge } from 'prom-client';
import { forgetPetitions } from '../../campaigns/petitions/cache.ts';
import type { Context } from '../../platform/context.ts';
import {
  endOfLog,
  isAfter,
  isKeptSince,
  readEvents,
  type EventType,
  type LoggedEvent,
  type LogPosition,
} from '../../platform/events.ts';
import { Channel, ordinaryPace, type Pace, type Watcher } from './channel.ts';
import { Feed } from './feed.ts';
import { WrittenMessage } from './message.ts';
import { Outbox } from './outbox.ts';

/** What was missed is told again up to so many events; else the newest count has to do. */
const longestResume = 1000;

/** After these it may be that not every watcher may go on watching. */
const changesOfAccess = new Set<EventType>([
  'petition.deleted',
  'petition.updated',
  'petition.under_review',
  'petition.rejected',
]);

/** Somebody who begins to follow a petition, and may know of what happened before. */
export interface Joiner extends Watcher {
  /** From now on it is told of nothing up to here: it knows of all that. */
  knows(until: LogPosition): void;
}

interface Missed {
  messages: WrittenMessage[];
  /** The newest event that they tell of; where there are none, where the watcher resumes from. */
  until: LogPosition;
}

/** Brings what happens to petitions to their watchers in this process. */
export class Hub {
  #ctx: Context;
  #pace: Pace;
  #feed: Feed;
  #channels = new Map<string, Channel>();

  constructor(ctx: Context, pace = ordinaryPace) {
    this.#ctx = ctx;
    this.#pace = pace;
    this.#feed = new Feed(ctx, (event) => this.#take(event));
    const gauge: Gauge = new Gauge({
      name: 'realtime_watchers',
      help: 'Who follows petitions in real time, counted once for each petition',
      registers: [ctx.metrics],
      collect: () => gauge.set(this.watcherCount),
    });
  }

  get watcherCount(): number {
    let count = 0;
    for (const { watchers } of this.#channels.values()) count += watchers.size;
    return count;
  }

  /**
   * Tells the watcher, from now on, what happens to the petition: first the count, then what it missed
   * since the id that it names, then what comes. Nothing falls between.
   */
  async join(petitionId: string, watcher: Joiner, since: string | undefined): Promise<void> {
    await this.#feed.start();
    const channel = this.#channel(petitionId);
    const held = new HeldBack(watcher);
    channel.watchers.add(held);
    try {
      const id = channel.resumeId;
      const [countRead, missed] = await Promise.all([
        channel.count(),
        this.#missedSince(channel, since),
      ]);
      watcher.tell(
        new WrittenMessage(
          {
            type: 'subscribed',
            id: missed?.messages.length ? since! : id,
            petition_id: petitionId,
            resumed: missed !== undefined,
          },
          countRead,
        ),
      );
      for (const message of missed?.messages ?? []) watcher.tell(message);
      if (missed) watcher.knows(missed.until);
      held.release();
      if (!watcher.closed) channel.watchers.add(watcher);
    } finally {
      channel.watchers.delete(held);
      this.#forgetIfEmpty(channel);
    }
  }

  leave(petitionId: string, watcher: Watcher): void {
    const channel = this.#channels.get(petitionId);
    if (!channel) return;
    channel.watchers.delete(watcher);
    this.#forgetIfEmpty(channel);
  }

  async stop(): Promise<void> {
    await this.#feed.stop();
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  #channel(petitionId: string): Channel {
    let channel = this.#channels.get(petitionId);
    if (!channel) {
      channel = new Channel(this.#ctx, petitionId, this.#feed.id, this.#pace);
      this.#channels.set(petitionId, channel);
    }
    return channel;
  }

  #forgetIfEmpty(channel: Channel): void {
    if (channel.watchers.size > 0) return;
    channel.close();
    this.#channels.delete(channel.petitionId);
  }

  #take(event: LoggedEvent): void {
    const channel = event.petitionId && this.#channels.get(event.petitionId);
    if (!channel) return;
    channel.take(event);
    if (changesOfAccess.has(event.type)) {
      forgetPetitions(this.#ctx, [channel.petitionId]);
      for (const watcher of channel.watchers) watcher.checkAccess();
    }
  }

  /** What a watcher missed, folded; undefined where that is not known any more. */
  async #missedSince(channel: Channel, since: string | undefined): Promise<Missed | undefined> {
    const after = since === undefined ? undefined : positionOf(since);
    if (!after) return undefined;
    const { petitionId } = channel;
    const { main } = this.#ctx.pools;
    const [events, end] = await Promise.all([
      readEvents(main, after, longestResume + 1, { petitionId }),
      endOfLog(main),
    ]);
    // An id from beyond the end is of a log that was lost, and this one continued from a copy.
    if (events.length > longestResume || isAfter(after, end)) return undefined;
    // Asked last: what is let go while the events are read is not known either.
    if (!(await isKeptSince(main, after))) return undefined;
    const outbox = new Outbox(since!);
    for (const event of events) outbox.add(event);
    const counting = channel.count();
    const messages = [];
    for (let notice = outbox.take(); notice; notice = outbox.take()) {
      messages.push(await channel.compose(notice, counting, outbox.id));
    }
    return { messages, until: events.at(-1) ?? after };
  }
}

/** Keeps messages back until a watcher that joins has been told the count. */
class HeldBack implements Watcher {
  #watcher: Watcher;
  #messages: WrittenMessage[] = [];

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  get closed(): boolean {
    return this.#watcher.closed;
  }

  tell(message: WrittenMessage): void {
    this.#messages.push(message);
  }

  checkAccess(): void {
    this.#watcher.checkAccess();
  }

  release(): void {
    for (const message of this.#messages) this.#watcher.tell(message);
  }
}

function positionOf(id: string): LogPosition | undefined {
  const match = /^(\d{1,19})-(\d{1,18})$/.exec(id);
  return match ? { transaction: match[1]!, position: match[2]! } : undefined;
}

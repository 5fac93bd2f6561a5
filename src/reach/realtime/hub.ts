import { Gauge } from 'prom-client';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import type { Context } from '../../platform/context.ts';
import {
  endOfLog,
  isAfter,
  hasAllSince,
  type EventType,
  type LoggedEvent,
  type LogPosition,
} from '../../platform/events.ts';
import { Channel, defaultPace, type Pace, type Watcher } from './channel.ts';
import { Feed } from './feed.ts';
import { SerializedMessage } from './message.ts';
import { Outbox } from './outbox.ts';
import { readPetitionEvents } from './queries.ts';

/** A watcher that missed more events than this gets only the newest count. */
const maxResumedEvents = 1000;

/** Events after which a watcher may have lost its access. */
const accessEvents = new Set<EventType>([
  'petition.deleted',
  'petition.updated',
  'petition.under_review',
  'petition.rejected',
]);

/** A watcher that joins, and may have received earlier messages. */
export interface JoiningWatcher extends Watcher {
  /** Skips later messages about events up to the position: the watcher has received them. */
  skipUntil(position: LogPosition): void;
}

interface Missed {
  messages: SerializedMessage[];
  /** The newest event in the messages, or where the watcher resumes from if there are none. */
  until: LogPosition;
}

/** Sends the events of petitions to their watchers in this process. */
export class Hub {
  #ctx: Context;
  #pace: Pace;
  #feed: Feed;
  #channels = new Map<string, Channel>();

  constructor(ctx: Context, pace = defaultPace) {
    this.#ctx = ctx;
    this.#pace = pace;
    this.#feed = new Feed(ctx, (event) => this.#dispatch(event));
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

  /** Sends the watcher the count, then what it missed after the id `since`, then new messages, without a gap. */
  async join(
    petitionId: string,
    watcher: JoiningWatcher,
    since: string | undefined,
  ): Promise<void> {
    await this.#feed.start();
    const channel = this.#channel(petitionId);
    const buffering = new BufferingWatcher(watcher);
    channel.watchers.add(buffering);
    try {
      const { resumeId } = channel;
      const [countRead, missed] = await Promise.all([
        channel.count(),
        this.#missedSince(channel, since),
      ]);
      watcher.send(
        new SerializedMessage(
          {
            type: 'subscribed',
            id: missed?.messages.length ? since! : resumeId,
            petition_id: petitionId,
            resumed: missed !== undefined,
          },
          countRead,
        ),
      );
      for (const message of missed?.messages ?? []) watcher.send(message);
      if (missed) watcher.skipUntil(missed.until);
      buffering.release();
      if (!watcher.closed) channel.watchers.add(watcher);
    } finally {
      channel.watchers.delete(buffering);
      this.#removeIfEmpty(channel);
    }
  }

  leave(petitionId: string, watcher: Watcher): void {
    const channel = this.#channels.get(petitionId);
    if (!channel) return;
    channel.watchers.delete(watcher);
    this.#removeIfEmpty(channel);
  }

  async stop(): Promise<void> {
    await this.#feed.stop();
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  #channel(petitionId: string): Channel {
    let channel = this.#channels.get(petitionId);
    if (!channel) {
      channel = new Channel(this.#ctx, petitionId, this.#feed.resumeId, this.#pace);
      this.#channels.set(petitionId, channel);
    }
    return channel;
  }

  #removeIfEmpty(channel: Channel): void {
    if (channel.watchers.size > 0) return;
    channel.close();
    this.#channels.delete(channel.petitionId);
  }

  #dispatch(event: LoggedEvent): void {
    const channel = event.petitionId && this.#channels.get(event.petitionId);
    if (!channel) return;
    channel.add(event);
    if (accessEvents.has(event.type)) {
      evictPetitions(this.#ctx, [channel.petitionId]);
      for (const watcher of channel.watchers) watcher.checkAccess();
    }
  }

  /** Returns what a watcher missed, merged into few messages, or undefined if that cannot be known. */
  async #missedSince(channel: Channel, since: string | undefined): Promise<Missed | undefined> {
    const after = since === undefined ? undefined : parseResumeId(since);
    if (!after) return undefined;
    const { petitionId } = channel;
    const { main } = this.#ctx.pools;
    const [events, end] = await Promise.all([
      readPetitionEvents(main, petitionId, after, maxResumedEvents + 1),
      endOfLog(main),
    ]);
    // An id beyond the end comes from a log that was lost and restored from an older copy.
    if (events.length > maxResumedEvents || isAfter(after, end)) return undefined;
    // Must come last: events can also be deleted while they are read.
    if (!(await hasAllSince(main, after))) return undefined;
    const outbox = new Outbox(since!);
    for (const event of events) outbox.add(event);
    const count = channel.count();
    const messages = [];
    for (let notice = outbox.takeNext(); notice; notice = outbox.takeNext()) {
      messages.push(await channel.compose(notice, count, outbox.resumeId));
    }
    return { messages, until: events.at(-1) ?? after };
  }
}

/** Buffers messages until a joining watcher has received the count. */
class BufferingWatcher implements Watcher {
  #watcher: Watcher;
  #messages: SerializedMessage[] = [];

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  get closed(): boolean {
    return this.#watcher.closed;
  }

  send(message: SerializedMessage): void {
    this.#messages.push(message);
  }

  checkAccess(): void {
    this.#watcher.checkAccess();
  }

  release(): void {
    for (const message of this.#messages) this.#watcher.send(message);
  }
}

function parseResumeId(id: string): LogPosition | undefined {
  const match = /^(\d{1,19})-(\d{1,18})$/.exec(id);
  return match ? { transaction: match[1]!, position: match[2]! } : undefined;
}

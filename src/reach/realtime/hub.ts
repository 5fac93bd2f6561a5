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
  'petition.handed_over',
  'petition.updated',
  'petition.under_review',
  'petition.rejected',
]);

/** A watcher that joins, and may have received earlier messages. */
export interface JoiningWatcher extends Watcher {
  readonly closed: boolean;
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
    // Messages that are sent before the watcher has received the count.
    const buffered: SerializedMessage[] = [];
    const buffer: Watcher = {
      send: (message) => void buffered.push(message),
      checkAccess: () => watcher.checkAccess(),
    };
    channel.watchers.add(buffer);
    try {
      const { resumeId } = channel;
      const [countRead, missed] = await Promise.all([
        channel.count(),
        this.#missedSince(channel, since),
      ]);
      const subscribed = {
        type: 'subscribed' as const,
        id: missed?.messages.length ? since! : resumeId,
        petition_id: petitionId,
        resumed: missed !== undefined,
      };
      watcher.send(new SerializedMessage(subscribed, countRead));
      for (const message of missed?.messages ?? []) watcher.send(message);
      if (missed) watcher.skipUntil(missed.until);
      for (const message of buffered) watcher.send(message);
      if (!watcher.closed) channel.watchers.add(watcher);
    } finally {
      channel.watchers.delete(buffer);
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
    return this.#channels.getOrInsertComputed(
      petitionId,
      () => new Channel(this.#ctx, petitionId, this.#feed.resumeId, this.#pace),
    );
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
    for (let pending = outbox.takeNext(); pending; pending = outbox.takeNext()) {
      messages.push(await channel.compose(pending, count, outbox.resumeId));
    }
    return { messages, until: events.at(-1) ?? after };
  }
}

function parseResumeId(id: string): LogPosition | undefined {
  const match = /^(\d{1,19})-(\d{1,18})$/.exec(id);
  return match ? { transaction: match[1]!, position: match[2]! } : undefined;
}

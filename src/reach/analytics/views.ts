import { LRUCache } from 'lru-cache';
import { firstTrackingValue, type ReadQuery } from '../../campaigns/petitions/schema.ts';
import { directSource, normalizeSource } from '../../campaigns/signatures/signatures.ts';
import type { Context } from '../../platform/context.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { isReader } from '../../platform/http/readers.ts';
import type { Call } from '../../platform/http/route.ts';
import * as queries from './view-queries.ts';

const flushIntervalMs = 2000;
/** Petitions counted per interval. Views of further ones are dropped. */
const maxPetitions = 10_000;
/** Sources counted separately per petition, both per interval and per day. */
const maxSources = 100;
export const otherSources = 'other';

interface Read extends Pick<Call, 'method' | 'caller' | 'headers'> {
  query: ReadQuery;
}

/**
 * Counts views of petitions by source in memory, so that a read costs a few look-ups, and stores them
 * every 2 s. Keeps nothing about readers. Views of the last seconds are lost if the process is killed.
 */
export class Views {
  readonly writer = new PeriodicWriter(flushIntervalMs, () => this.#store());
  #ctx: Context;
  #counts = new Map<string, Map<string, number>>();
  /** Sources by utm_source or referrer: requests repeat the same few. */
  #sources = new LRUCache<string, string>({ max: 1000 });

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Counts a view of the petition, unless it is by its creator or a bot. */
  readonly record = (
    petition: { id: string; creator_id: string | null },
    { method, caller, headers, query }: Read,
  ): void => {
    if (method !== 'GET' || (caller && caller.userId === petition.creator_id)) return;
    if (!isReader(headers)) return;
    const source = this.#sourceOf(firstTrackingValue(query.utm_source) || headers.referer);
    this.#add(petition.id, source, 1);
  };

  #add(petitionId: string, source: string, views: number): void {
    let counts = this.#counts.get(petitionId);
    if (!counts) {
      if (this.#counts.size >= maxPetitions) return;
      this.#counts.set(petitionId, (counts = new Map()));
    }
    const name = counts.has(source) || counts.size < maxSources ? source : otherSources;
    counts.set(name, (counts.get(name) ?? 0) + views);
  }

  #sourceOf(text = ''): string {
    let source = this.#sources.get(text);
    if (source === undefined) {
      source = normalizeSource(this.#ctx.config, text) ?? directSource;
      if (text.length <= 500) this.#sources.set(text, source);
    }
    return source;
  }

  async #store(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    const views = [...counts].flatMap(([petition_id, bySource]) =>
      [...bySource].map(([source, count]) => ({ petition_id, source, views: count })),
    );
    const day = this.#ctx.now().toISOString().slice(0, 10);
    try {
      await queries.addViews(this.#ctx.pools.main, day, views, {
        maxSources,
        direct: directSource,
        other: otherSources,
      });
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'could not store views; will retry');
      for (const view of views) this.#add(view.petition_id, view.source, view.views);
    }
  }
}

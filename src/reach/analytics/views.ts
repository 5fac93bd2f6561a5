import { LRUCache } from 'lru-cache';
import { firstOf, type ReadQuery } from '../../campaigns/petitions/schema.ts';
import { directSource, sourceNamed } from '../../campaigns/signatures/signatures.ts';
import type { Context } from '../../platform/context.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { isReader } from '../../platform/http/readers.ts';
import type { Call } from '../../platform/http/route.ts';
import * as queries from './view-queries.ts';

/** Between two times that what was counted is stored, in milliseconds. */
const flushMilliseconds = 2000;
/** Petitions that are counted apart in that time; views of further ones are let go. */
const mostPetitions = 10_000;
/** Sources of one petition that are counted apart in that time, and on one day. */
const mostSources = 100;
export const otherSources = 'other';

interface Read extends Pick<Call, 'method' | 'caller' | 'headers'> {
  query: ReadQuery;
}

/**
 * Counts who reads petitions, by whence they came: in memory, so that a read costs a few look-ups, and
 * stored every few seconds. Nothing is kept of the reader. What a process that is killed had counted in the
 * last seconds is lost.
 */
export class Views {
  readonly writer = new PeriodicWriter(flushMilliseconds, () => this.#store());
  #ctx: Context;
  #counts = new Map<string, Map<string, number>>();
  /** What busy readers send is the same again and again. */
  #sources = new LRUCache<string, string>({ max: 1000 });

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Counts a read of the petition, unless it is its creator's own, or a robot's. */
  readonly note = (
    petition: { id: string; creator_id: string | null },
    { method, caller, headers, query }: Read,
  ): void => {
    if (method !== 'GET' || (caller && caller.userId === petition.creator_id)) return;
    if (!isReader(headers)) return;
    this.#add(petition.id, this.#sourceOf(firstOf(query.utm_source) || headers.referer), 1);
  };

  #add(petitionId: string, source: string, views: number): void {
    let counts = this.#counts.get(petitionId);
    if (!counts) {
      if (this.#counts.size >= mostPetitions) return;
      this.#counts.set(petitionId, (counts = new Map()));
    }
    const name = counts.has(source) || counts.size < mostSources ? source : otherSources;
    counts.set(name, (counts.get(name) ?? 0) + views);
  }

  #sourceOf(text = ''): string {
    let source = this.#sources.get(text);
    if (source === undefined) {
      source = sourceNamed(this.#ctx.config, text) ?? directSource;
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
        mostSources,
        apart: directSource,
        rest: otherSources,
      });
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'views could not be stored');
      for (const one of views) this.#add(one.petition_id, one.source, one.views);
    }
  }
}

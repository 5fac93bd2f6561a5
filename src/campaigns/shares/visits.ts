import type { Context } from '../../platform/context.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { isReader } from '../../platform/http/readers.ts';
import type { Call } from '../../platform/http/route.ts';
import type { ReadQuery } from '../petitions/schema.ts';
import { isRef } from './refs.ts';
import { addVisits, type ShareVisits } from './sum-queries.ts';

/** Further distinct visits are dropped until the next write: such a number comes from made-up refs. */
const maxPendingVisits = 20_000;

/**
 * Counts visits by shared links in memory, and writes them with one statement a second. Stores nothing about
 * the reader.
 */
export class VisitCounter {
  readonly writer = new PeriodicWriter(1000, () => this.#write());
  #ctx: Context;
  #unwritten = new Map<string, ShareVisits>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Counts a read of a petition, by slug or id, if the link has a ref. Ignores bots and HEAD. */
  note(
    {
      caller,
      method,
      headers,
      query,
    }: Pick<Call, 'caller' | 'method' | 'headers'> & { query: ReadQuery },
    petition: string,
  ): void {
    const ref = [query.ref ?? []].flat().find(isRef);
    if (ref === undefined || method === 'HEAD' || !isReader(headers)) return;
    const readerId = caller?.userId ?? null;
    this.#add({ ref, petition, readerId, count: 1 });
  }

  #add(visits: ShareVisits): void {
    const key = `${visits.ref} ${visits.petition} ${visits.readerId}`;
    const pending = this.#unwritten.get(key);
    if (pending) pending.count += visits.count;
    else if (this.#unwritten.size < maxPendingVisits) this.#unwritten.set(key, visits);
  }

  async #write(): Promise<void> {
    const visits = [...this.#unwritten.values()];
    if (visits.length === 0) return;
    this.#unwritten.clear();
    try {
      await addVisits(this.#ctx.pools.main, visits);
    } catch (error) {
      // Retried with the next write.
      this.#ctx.log.warn({ err: error }, 'could not write visits by shared links; will retry');
      for (const one of visits) this.#add(one);
    }
  }
}

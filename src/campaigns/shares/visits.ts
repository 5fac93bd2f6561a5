import type { Context } from '../../platform/context.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { isReader } from '../../platform/http/readers.ts';
import type { Call } from '../../platform/http/route.ts';
import type { ReadQuery } from '../petitions/schema.ts';
import { isRef } from './refs.ts';
import { addVisits, type Visits } from './sum-queries.ts';

/** More different ones are not remembered until the next writing: somebody is making them up. */
const mostRemembered = 20_000;

/**
 * Counts those who read a petition by a shared link: remembered at each read, written in one statement a
 * second. Nothing is kept of the reader.
 */
export class VisitCounter {
  readonly writer = new PeriodicWriter(1000, () => this.#write());
  #ctx: Context;
  #unwritten = new Map<string, Visits>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** The caller was shown a petition, named by slug or id, by a link with that ref. */
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

  #add(visits: Visits): void {
    const key = `${visits.ref} ${visits.petition} ${visits.readerId}`;
    const known = this.#unwritten.get(key);
    if (known) known.count += visits.count;
    else if (this.#unwritten.size < mostRemembered) this.#unwritten.set(key, visits);
  }

  async #write(): Promise<void> {
    const visits = [...this.#unwritten.values()];
    if (visits.length === 0) return;
    this.#unwritten.clear();
    try {
      await addVisits(this.#ctx.pools.main, visits);
    } catch (error) {
      // What was not written is tried again with what comes next.
      this.#ctx.log.warn({ err: error }, 'visits by shared links could not be written');
      for (const one of visits) this.#add(one);
    }
  }
}

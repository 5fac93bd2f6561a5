import type { Tx } from '../../platform/db.ts';
import { isAfter, type LoggedEvent, type LogPosition } from '../../platform/events.ts';
import { signaturesByShare, shareSignatureSums } from '../../campaigns/shares/signature-sums.ts';
import { followerName as sumsName, rebuiltPositions } from '../../reach/analytics/sum-queries.ts';
import { cellsOf, maxWindowHours } from '../../reach/analytics/sums.ts';
import type { Check } from './check.ts';
import type { IdRange, KeyRange, SignatureKey } from './keys.ts';
import * as queries from './sum-queries.ts';

/** Differences between computed and stored sums, by key. */
class Difference {
  #net = new Map<string, number>();

  add(key: string, count: number): void {
    const sum = (this.#net.get(key) ?? 0) + count;
    if (sum === 0) this.#net.delete(key);
    else this.#net.set(key, sum);
  }

  keys(): string[] {
    return [...this.#net.keys()];
  }

  has(key: string): boolean {
    return this.#net.has(key);
  }
}

/**
 * Compares the sums of a batch of petitions with their signatures, in one snapshot. Excludes events that followers have
 * not seen yet. Sums of zero are not stored.
 */
export class SumComparison {
  #tx: Tx;
  #since: Date;
  #places: Map<string, LogPosition>;
  #sums = new Difference();
  #shares = new Difference();

  constructor(tx: Tx, places: Map<string, LogPosition>, now: Date) {
    this.#tx = tx;
    this.#places = places;
    this.#since = new Date(now.getTime() - maxWindowHours * 3_600_000);
  }

  async addSignatures(range: KeyRange<SignatureKey>): Promise<void> {
    this.#add(await queries.sumsOfSignatures(this.#tx, range, this.#since), 1);
    for (const { share_id: id, count } of await queries.signaturesByShare(this.#tx, range)) {
      this.#shares.add(id, count);
    }
  }

  /** The lowest position of the followers; some follower has not seen events after it. */
  get seenPosition(): LogPosition | undefined {
    const places = [sumsName, shareSignatureSums.name].flatMap(
      (name) => this.#places.get(name) ?? [],
    );
    return places.toSorted((a, b) => (isAfter(a, b) ? 1 : -1))[0];
  }

  /** Excludes those of the events, which are after `seenPosition`, that followers have not seen yet. */
  async excludeUnseen(events: LoggedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const bySums = this.#unseenBy(sumsName, events);
    const ids = new Set(bySums.flatMap(({ petitionId }) => petitionId ?? []));
    const rebuilt = await rebuiltPositions(this.#tx, [...ids]);
    const cells = cellsOf(
      bySums.filter(
        ({ petitionId, position }) => BigInt(position) > (rebuilt.get(petitionId ?? '') ?? -1n),
      ),
    );
    if (cells.length > 0) {
      this.#add(await queries.sumsOfCells(this.#tx, cells, this.#since), -1);
    }
    const byShare = signaturesByShare(this.#unseenBy(shareSignatureSums.name, events));
    for (const [id, count] of byShare) this.#shares.add(id, -count);
  }

  #unseenBy(name: string, events: LoggedEvent[]): LoggedEvent[] {
    const place = this.#places.get(name);
    return place ? events.filter((event) => isAfter(event, place)) : [];
  }

  #add(rows: queries.SumRow[], sign: 1 | -1): void {
    for (const { table, petition_id: id, key, count } of rows) {
      this.#sums.add(`${id} ${table} ${key}`, sign * count);
    }
  }

  /** Compares with the stored sums, and adds differences to the checks. */
  async compareWithStored(
    range: IdRange,
    { sums, shares }: { sums: Check; shares: Check },
  ): Promise<void> {
    const stored = await queries.storedSums(this.#tx, range, this.#since);
    this.#add(stored, -1);
    sums.addChecked(stored.length);
    for (const key of this.#sums.keys()) {
      const [petitionId, table] = key.split(' ');
      sums.addWrong(`petition ${petitionId} in ${table}`);
    }
    if (!this.#places.has(shareSignatureSums.name)) return;
    const links = await queries.storedShares(this.#tx, range);
    shares.addChecked(links.length);
    for (const { share_id: id, count } of links) {
      this.#shares.add(id, -count);
      // Shares of erased accounts are deleted with their sums.
      if (this.#shares.has(id)) shares.addWrong(`share ${id}: signatures`);
    }
  }
}

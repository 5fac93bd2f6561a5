import type { PetitionSum } from './recount.ts';
import { fetchJson } from './source.ts';

/** A petition as the service shows it. */
export interface ShownPetition {
  id: string;
  slug: string;
  /** Its name in the log; null before it has an entry. */
  log_id: string | null;
  signature_count: number;
}

const fields = 'fields=id,slug,log_id,signature_count';
/** How many petitions the service reads by id in one call. */
const idsPerCall = 100;

/** Reads all petitions that everybody can see. @throws {SourceError} */
export async function readShownPetitions(site: string): Promise<ShownPetition[]> {
  interface Page {
    data: ShownPetition[];
    pagination: { next_cursor: string | null };
  }
  const petitions = new Map<string, ShownPetition>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { data, pagination }: Page = await fetchJson<Page>(
      `${site}/v1/petitions?limit=100&${fields}${after}`,
    );
    for (const petition of data) petitions.set(petition.id, petition);
    cursor = pagination.next_cursor;
  }
  return [...petitions.values()];
}

/** Reads these petitions again; those that are no longer public are left out. @throws {SourceError} */
export async function readShownAgain(
  site: string,
  petitions: readonly ShownPetition[],
): Promise<ShownPetition[]> {
  const again: ShownPetition[] = [];
  for (let start = 0; start < petitions.length; start += idsPerCall) {
    const ids = petitions.slice(start, start + idsPerCall).map(({ id }) => id);
    const { data } = await fetchJson<{ data: ShownPetition[] }>(
      `${site}/v1/petitions?ids=${ids.join(',')}&${fields}`,
    );
    again.push(...data);
  }
  return again;
}

/**
 * The counts that each petition had in a part of the log. While people sign, a shown count is right if it lies between
 * the lowest and the highest one from shortly before it was read until the log has caught up.
 */
export class CountRanges {
  readonly #ranges = new Map<string, { low: number; high: number }>();

  constructor(sums: readonly PetitionSum[]) {
    for (const sum of sums) this.add(sum);
  }

  add({ petition, counted, imported }: PetitionSum): void {
    const count = counted + imported;
    const range = this.#ranges.get(petition);
    if (!range) {
      this.#ranges.set(petition, { low: count, high: count });
      return;
    }
    range.low = Math.min(range.low, count);
    range.high = Math.max(range.high, count);
  }

  has({ log_id: logId, signature_count: count }: ShownPetition): boolean {
    if (logId === null) return count === 0;
    const { low, high } = this.#ranges.get(logId) ?? { low: 0, high: 0 };
    return low <= count && count <= high;
  }
}

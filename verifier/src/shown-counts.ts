import { SourceError } from './errors.js';
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

/** Petitions move while the list is read. A list with more such pages in a row does not end. */
const maxPagesWithoutNew = 10;

/** Reads all petitions that everybody can see. @throws {SourceError} */
export async function readShownPetitions(
  site: string,
  signal?: AbortSignal,
): Promise<ShownPetition[]> {
  const petitions = new Map<string, ShownPetition>();
  let cursor: string | null = '';
  let pagesWithoutNew = 0;
  while (cursor !== null) {
    signal?.throwIfAborted();
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const url = `${site}/v1/petitions?limit=100&${fields}${after}`;
    const { data, pagination } = await fetchPage(url);
    const countBefore = petitions.size;
    for (const petition of data) petitions.set(petition.id, petition);
    pagesWithoutNew = petitions.size > countBefore ? 0 : pagesWithoutNew + 1;
    if (pagesWithoutNew > maxPagesWithoutNew) {
      throw new SourceError(`${url}: the list of petitions does not end`);
    }
    cursor = pagination?.next_cursor ?? null;
  }
  return [...petitions.values()];
}

interface Page {
  data: ShownPetition[];
  pagination?: { next_cursor: string | null };
}

/** @throws {SourceError} if the answer is no list of petitions, too */
async function fetchPage(url: string): Promise<Page> {
  const page = await fetchJson<Page | null>(url);
  const cursor = page?.pagination?.next_cursor ?? null;
  if (
    !Array.isArray(page?.data) ||
    !page.data.every(isShownPetition) ||
    (cursor !== null && typeof cursor !== 'string')
  ) {
    throw new SourceError(`${url}: the answer is no list of petitions`);
  }
  return page;
}

function isShownPetition(value: Partial<ShownPetition> | null): boolean {
  const { id, slug, log_id: logId, signature_count: count } = value ?? {};
  return (
    typeof id === 'string' &&
    typeof slug === 'string' &&
    (logId === null || typeof logId === 'string') &&
    Number.isSafeInteger(count)
  );
}

/** Returns the petitions that are shown under the name of another one: the same entries would count twice. */
export function sharingNames(petitions: readonly ShownPetition[]): ShownPetition[] {
  const names = new Set<string>();
  return petitions.filter(({ log_id: logId }) => {
    if (logId === null) return false;
    const isShared = names.has(logId);
    names.add(logId);
    return isShared;
  });
}

/** Reads these petitions again; those that are no longer public are left out. @throws {SourceError} */
export async function readShownAgain(
  site: string,
  petitions: readonly ShownPetition[],
): Promise<ShownPetition[]> {
  const again: ShownPetition[] = [];
  for (let start = 0; start < petitions.length; start += idsPerCall) {
    const ids = petitions.slice(start, start + idsPerCall).map(({ id }) => id);
    const list = ids.map(encodeURIComponent).join(',');
    const { data } = await fetchPage(`${site}/v1/petitions?ids=${list}&${fields}`);
    again.push(...data.filter(({ id }) => ids.includes(id)));
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

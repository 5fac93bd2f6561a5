import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor } from '../../platform/cursor.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { Language } from '../../platform/pages/language.ts';
import { languageAsked, nameCategories } from '../categories/categories.ts';
import { findDecisionMakersOfMany } from './decision-maker-queries.ts';
import { listKeys } from './export-queries.ts';
import { keyKinds, toFilter, type FilterQuery } from './list.ts';
import { isCreator } from './policy.ts';
import { presentRecord } from './present.ts';
import { petitionsAmong } from './promotion-queries.ts';
import type { PetitionFilter } from './queries.ts';
import type { PetitionListQuery, PetitionRecord } from './schema.ts';

type ExportQuery = FilterQuery & Pick<PetitionListQuery, 'lang' | 'cursor'>;

interface ExportedPetition {
  petition: PetitionRecord;
  /** Whether the caller created it. */
  isOwn: boolean;
}

export interface PetitionExport {
  /** Read on demand: 1,000 long texts take 100 MB. */
  petitions: AsyncIterable<ExportedPetition>;
  nextCursor: string | null;
}

/** How many petitions are in memory at once. */
const batchSize = 20;

/**
 * Returns a page of the petitions that the caller sees in lists, newest first, each as the public sees it.
 * The ids and the cursor are read at once, the petitions on demand; one that leaves the list in between is
 * left out.
 */
export async function exportPetitions(
  ctx: Context,
  caller: Caller,
  { cursor, lang, ...query }: ExportQuery,
  limit: number,
): Promise<PetitionExport> {
  const after = decodeCursor('recent', keyKinds.recent, cursor);
  const filter = await toFilter(ctx, caller, query);
  const keys = filter ? await listKeys(ctx.pools.exports, filter, after, limit + 1) : [];
  const page = keys.slice(0, limit);
  const last = page.at(-1);
  return {
    petitions: filter
      ? readAll(ctx, caller, { filter, page, language: languageAsked(lang) })
      : noPetitions(),
    nextCursor:
      last && keys.length > limit
        ? encodeCursor('recent', [last.sort_at.toISOString(), last.id])
        : null,
  };
}

async function* noPetitions(): AsyncGenerator<never> {}

async function* readAll(
  ctx: Context,
  caller: Caller,
  {
    filter,
    page,
    language,
  }: { filter: PetitionFilter; page: { id: string }[]; language: Language | undefined },
): AsyncGenerator<ExportedPetition> {
  const db = ctx.pools.exports;
  for (let start = 0; start < page.length; start += batchSize) {
    const ids = page.slice(start, start + batchSize).map(({ id }) => id);
    const rows = await petitionsAmong(db, filter, ids, batchSize);
    const makers = Map.groupBy(
      await findDecisionMakersOfMany(db, ids),
      ({ petition_id }) => petition_id,
    );
    for (const row of await nameCategories(ctx, rows, language)) {
      yield {
        petition: presentRecord(ctx, row, makers.get(row.id) ?? [], null),
        isOwn: isCreator(row, caller),
      };
    }
  }
}

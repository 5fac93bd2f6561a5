import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor } from '../../platform/cursor.ts';
import type { Caller } from '../../platform/http/route.ts';
import { decisionMakersOfAll } from './decision-makers.ts';
import { listKeys } from './export-queries.ts';
import { keyKinds, toFilter } from './listing.ts';
import { isCreator } from './policy.ts';
import { presentPetition } from './present.ts';
import { petitionsAmong } from './promotion-queries.ts';
import type { PetitionFilter } from './queries.ts';
import type { Petition, PetitionListQuery } from './schema.ts';

type ExportQuery = Pick<PetitionListQuery, 'status' | 'categoryId' | 'creatorId' | 'cursor'>;

interface Exported {
  petition: Petition;
  /** The caller created it. */
  own: boolean;
}

export interface PetitionExport {
  /** Read as they are asked for: a thousand long texts at once would be a hundred megabytes. */
  petitions: AsyncIterable<Exported>;
  nextCursor: string | null;
}

/** Petitions whose texts are in memory at a time. */
const atATime = 20;

/**
 * A page of the petitions that the caller sees in lists, newest first, as everybody sees each. Which they
 * are is settled at once, and so is the cursor; those that leave the list meanwhile are left out.
 */
export async function exportPetitions(
  ctx: Context,
  caller: Caller,
  { cursor, ...query }: ExportQuery,
  limit: number,
): Promise<PetitionExport> {
  const after = decodeCursor('recent', keyKinds.recent, cursor);
  const filter = toFilter(caller, query);
  const keys = filter ? await listKeys(ctx.pools.exports, filter, after, limit + 1) : [];
  const page = keys.slice(0, limit);
  const last = page.at(-1);
  return {
    petitions: filter ? readAll(ctx, caller, filter, page) : none(),
    nextCursor:
      last && keys.length > limit
        ? encodeCursor('recent', [last.sort_at.toISOString(), last.id])
        : null,
  };
}

async function* none(): AsyncGenerator<never> {}

async function* readAll(
  ctx: Context,
  caller: Caller,
  filter: PetitionFilter,
  page: { id: string }[],
): AsyncGenerator<Exported> {
  const db = ctx.pools.exports;
  for (let at = 0; at < page.length; at += atATime) {
    const ids = page.slice(at, at + atATime).map(({ id }) => id);
    const rows = await petitionsAmong(db, filter, ids, atATime);
    const makers = Map.groupBy(
      await decisionMakersOfAll(db, ids),
      ({ petition_id }) => petition_id,
    );
    for (const row of rows) {
      yield {
        petition: presentPetition(ctx, row, makers.get(row.id) ?? [], null),
        own: isCreator(row, caller),
      };
    }
  }
}

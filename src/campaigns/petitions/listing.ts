import type { Context } from '../../platform/context.ts';
import {
  decodeCursor,
  encodeCursor,
  toPage,
  type CursorKeys,
  type KeyKind,
  type Page,
} from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { renderPage } from '../../platform/http/answer.ts';
import type { Caller, Rendered } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { listGroup, readablePetition } from './reading.ts';
import { presentSummary } from './present.ts';
import * as queries from './queries.ts';
import type { PetitionFilter, PetitionRow, Sort, VersionRow } from './queries.ts';
import { readTrending, trendingKeys, type ListRows } from './trending.ts';
import type { PetitionListQuery, PetitionSummary } from './schema.ts';
import { tagKey } from './tags.ts';

/** A page of petitions that the caller may see in lists. */
export async function listPetitions(
  ctx: Context,
  caller: Caller | null,
  query: PetitionListQuery,
): Promise<Page<PetitionSummary> | Rendered> {
  return readPage(ctx, toFilter(caller, query), query);
}

/** A page of the petitions of a user or an organization that everybody may see, newest first. */
export async function listPublicPetitions(
  ctx: Context,
  whose: { creatorId: string } | { orgId: string },
  { cursor, limit }: Pick<PetitionListQuery, 'cursor' | 'limit'>,
): Promise<Page<PetitionSummary> | Rendered> {
  return readPage(ctx, { of: 'everybody', ...whose }, { cursor, limit });
}

/**
 * The first petitions of a list that everybody may see, without any that are promoted to stand before
 * others.
 */
export function readPublicPetitions(
  db: Db,
  filter: { categoryId?: string | undefined },
  sort: Sort,
  limit: number,
): Promise<PetitionRow[]> {
  return queries.listPetitions(db, { of: 'everybody', ...filter }, sort, null, limit);
}

/** What all may see is remembered briefly. */
async function readPage(
  ctx: Context,
  filter: PetitionFilter | undefined,
  {
    sort = 'recent',
    limit = defaultLimit,
    cursor,
  }: Pick<PetitionListQuery, 'sort' | 'limit' | 'cursor'>,
): Promise<Page<PetitionSummary> | Rendered> {
  const after = decodeCursor(sort, keyKinds[sort], cursor);
  if (!filter) return { items: [], nextCursor: null };
  const db = ctx.pools.replica;
  const read = async () => {
    const { rows, cursorOf } =
      sort === 'trending'
        ? await readTrending(db, filter, after, limit + 1, ctx.now())
        : await readSorted(db, filter, sort, after, limit + 1);
    return toPage(rows, limit, cursorOf, (row) => presentSummary(row, ctx.now()));
  };
  if (filter.of !== 'everybody') return read();
  const key = JSON.stringify([filter, sort, after, limit]);
  const small = ({ head }: Rendered) => head.length <= largestRemembered;
  return ctx.cache.read(listGroup, key, async () => renderPage(await read()), small);
}

/** Bytes of a page that is remembered: 20 petitions are some 30,000, a hundred long ones 5 million. */
const largestRemembered = 262_144;

export const keyKinds = {
  recent: ['time', 'uuid'],
  popular: ['integer', 'uuid'],
  trending: trendingKeys,
} satisfies Record<Sort, KeyKind[]>;

async function readSorted(
  db: Db,
  filter: PetitionFilter,
  sort: 'recent' | 'popular',
  after: CursorKeys | null,
  limit: number,
): Promise<ListRows> {
  const keyOf = (row: PetitionRow) =>
    ({ recent: row.sort_at.toISOString(), popular: row.signature_count })[sort];
  return {
    rows: await queries.listPetitions(db, filter, sort, after, limit),
    cursorOf: (row) => encodeCursor(sort, [keyOf(row), row.id]),
  };
}

/** Each once and in one order, so that one filter is remembered once. */
const tagKeysOf = (tags = ''): string[] =>
  [...new Set(tags.split(',').map(tagKey))].filter(Boolean).toSorted();

/** What the query asks for, or undefined where the caller may see nothing of it. */
export function toFilter(
  caller: Caller | null,
  query: PetitionListQuery,
): PetitionFilter | undefined {
  const filter = {
    status: query.status,
    categoryId: query.categoryId,
    tagKeys: tagKeysOf(query.tags),
  };
  const creatorId = query.creatorId?.toLowerCase();
  const own = caller !== null && (!creatorId || creatorId === caller.userId);
  if (query.status === 'draft') {
    return own ? { ...filter, of: { creatorId: caller.userId } } : undefined;
  }
  if (own && creatorId) return { ...filter, of: { creatorId: caller.userId } };
  return { ...filter, of: 'everybody', creatorId };
}

/** The texts that a petition had, newest first. */
export async function listVersions(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: { access_code?: string; cursor?: string; limit?: number },
): Promise<Page<VersionRow>> {
  const { limit = defaultLimit } = query;
  const petition = await readablePetition(ctx, caller, ref, query.access_code);
  const after = decodeCursor('versions', ['integer'], query.cursor);
  const before = after ? Number(after[0]) : null;
  const rows = await queries.listVersions(ctx.db, petition.id, before, limit + 1);
  return toPage(
    rows,
    limit,
    (row) => encodeCursor('versions', [row.version]),
    (row) => row,
  );
}

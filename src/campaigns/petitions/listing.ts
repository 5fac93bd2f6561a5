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

/** The same for pages of the site, which are remembered as they are shown. */
export async function browsePetitions(
  ctx: Context,
  caller: Caller | null,
  query: PetitionListQuery,
): Promise<Page<PetitionSummary>> {
  const filter = toFilter(caller, query);
  if (!filter) return { items: [], nextCursor: null };
  return readRows(ctx, filter, query);
}

/** A page of the petitions of a user or an organization that everybody may see, newest first. */
export async function listPublicPetitions(
  ctx: Context,
  whose: { creatorId: string } | { orgId: string },
  { cursor, limit }: Pick<PetitionListQuery, 'cursor' | 'limit'>,
): Promise<Page<PetitionSummary> | Rendered> {
  return readPage(ctx, { of: 'everybody', ...whose }, { cursor, limit });
}

/** The same for pages of the site. */
export const browsePublicPetitions = (
  ctx: Context,
  whose: { creatorId: string } | { orgId: string },
  which: Pick<PetitionListQuery, 'cursor' | 'limit'>,
): Promise<Page<PetitionSummary>> => readRows(ctx, { of: 'everybody', ...whose }, which);

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
  which: PageSelection,
): Promise<Page<PetitionSummary> | Rendered> {
  const { sort = 'recent', limit = defaultLimit, cursor } = which;
  const after = decodeCursor(sort, keyKinds[sort], cursor);
  if (!filter) return { items: [], nextCursor: null };
  if (filter.of !== 'everybody') return readRows(ctx, filter, which);
  const key = JSON.stringify([filter, sort, after, limit]);
  const small = ({ head }: Rendered) => head.length <= largestRemembered;
  const read = async () => renderPage(await readRows(ctx, filter, which));
  return ctx.cache.read(listGroup, key, read, small);
}

type PageSelection = Pick<PetitionListQuery, 'sort' | 'limit' | 'cursor'>;

async function readRows(
  ctx: Context,
  filter: PetitionFilter,
  { sort = 'recent', limit = defaultLimit, cursor }: PageSelection,
): Promise<Page<PetitionSummary>> {
  const after = decodeCursor(sort, keyKinds[sort], cursor);
  const db = ctx.pools.replica;
  const { rows, cursorOf } =
    sort === 'trending'
      ? await readTrending(db, filter, after, limit + 1, ctx.now())
      : await readSorted(db, filter, sort, after, limit + 1);
  return toPage(rows, limit, cursorOf, (row) => presentSummary(row, ctx.now()));
}

/** Bytes of a page that is remembered: 20 petitions are some 30,000, a hundred long ones 5 million. */
const largestRemembered = 262_144;

export const keyKinds = {
  recent: ['time', 'uuid'],
  popular: ['integer', 'uuid'],
  trending: trendingKeys,
} satisfies Record<Sort, KeyKind[]>;

export async function readSorted(
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

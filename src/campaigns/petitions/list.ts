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
import { parseDateTime } from '../../platform/http/times.ts';
import { isUuid } from '../../platform/ids.ts';
import { notFound, validationFailed } from '../../platform/problems.ts';
import { categoryAsked, languageAsked, nameCategories } from '../categories/categories.ts';
import { listGroup } from './cache.ts';
import { requireReadablePetition } from './read.ts';
import type { PetitionStatus } from './lifecycle.ts';
import { canSeePetition, isReadable } from './policy.ts';
import { presentSummary } from './present.ts';
import { petitionsAmong } from './promotion-queries.ts';
import * as queries from './queries.ts';
import type { PetitionFilter, PetitionRow, Sort, VersionText } from './queries.ts';
import { readTrending, trendingKeys, type ListRows } from './trending.ts';
import {
  maxListedIds,
  petitionStatuses,
  type OwnerListQuery,
  type petitionFilter,
  type PetitionListQuery,
  type PetitionSummary,
  type PetitionVersion,
} from './schema.ts';
import { tagKeysAsked } from './tags.ts';

export { presentSummary, presentTextChange } from './present.ts';
export { petitionsByStatus, petitionsWithChangedText } from './queries.ts';
export type { VersionText } from './queries.ts';
export { tagKeysAsked } from './tags.ts';

/** Returns a page of the petitions that the caller may see in lists. Pages for everybody are cached. */
export async function listPetitions(
  ctx: Context,
  caller: Caller | null,
  query: PetitionListQuery,
): Promise<Page<PetitionSummary> | Rendered> {
  return readPage(ctx, await toFilter(ctx, caller, query), query);
}

/**
 * Returns the petitions with these ids that the caller can read, in the order of the ids. What everybody can read is
 * cached.
 * @throws {Problem} validation-failed
 */
export async function listPetitionsById(
  ctx: Context,
  caller: Caller | null,
  { ids, ...query }: FilterQuery & Pick<PetitionListQuery, 'lang'> & { ids: string },
): Promise<Page<PetitionSummary> | Rendered> {
  const wanted = idsOf(ids);
  const creatorId = query.creatorId?.toLowerCase();
  const filter = { ...(await conditionsOf(ctx, query)), scope: 'any', creatorId } as const;
  const language = languageAsked(query.lang);
  const read = async (): Promise<Page<PetitionSummary>> => {
    const rows = await petitionsAmong(ctx.pools.main, filter, wanted, wanted.length);
    const readable = rows.filter((row) => canSeePetition(row, caller) && isReadable(row, caller));
    const named = await nameCategories(ctx, readable, language);
    return { items: named.map((row) => presentSummary(ctx, row)), nextCursor: null };
  };
  if (caller) return read();
  const key = JSON.stringify([filter, wanted, language]);
  return ctx.cache.read(listGroup, key, async () => renderPage(await read()), isSmall);
}

/**
 * Rejects parameters of pages beside ids. Reads the URL, since the query contains their defaults.
 * @throws {Problem} validation-failed
 */
export function rejectPaging(url: string): void {
  const given = new URLSearchParams(url.split('?')[1]);
  const errors = ['sort', 'cursor', 'limit']
    .filter((field) => given.has(field))
    .map((field) => ({ field, message: 'This is not for ids.', code: 'invalid_value' as const }));
  if (errors.length > 0) throw validationFailed(...errors);
}

/** Distinct, in their order. */
function idsOf(list: string): string[] {
  const ids = [...new Set(list.toLowerCase().split(','))];
  if (!ids.every(isUuid)) {
    const message = 'These must be UUIDs, separated by commas.';
    throw validationFailed({ field: 'ids', message, code: 'invalid_format' });
  }
  if (ids.length > maxListedIds) {
    const message = `These must be at most ${maxListedIds} ids.`;
    throw validationFailed({ field: 'ids', message, code: 'too_big' });
  }
  return ids;
}

/** As `listPetitions`, for HTML pages, which are cached when rendered. */
export async function listPetitionsForPage(
  ctx: Context,
  caller: Caller | null,
  query: PetitionListQuery,
): Promise<Page<PetitionSummary>> {
  const filter = await toFilter(ctx, caller, query);
  if (!filter) return { items: [], nextCursor: null };
  return readRows(ctx, filter, query);
}

/** Returns a page of the public petitions of a user or an organization, newest first. */
export async function listPublicPetitions(
  ctx: Context,
  owner: { creatorId: string } | { orgId: string },
  { cursor, limit, lang }: OwnerListQuery,
): Promise<Page<PetitionSummary> | Rendered> {
  return readPage(ctx, { scope: 'public', ...owner }, { cursor, limit, lang });
}

/** As `listPublicPetitions`, for HTML pages. */
export const listPublicPetitionsForPage = (
  ctx: Context,
  owner: { creatorId: string } | { orgId: string },
  selection: Pick<PetitionListQuery, 'cursor' | 'limit'>,
): Promise<Page<PetitionSummary>> => readRows(ctx, { scope: 'public', ...owner }, selection);

/** Returns how many signatures the petitions in public lists have together; at most some seconds old. */
export const sumOfListedSignatures = (ctx: Context): Promise<number> =>
  ctx.estimates.read('petitions', 'signatures', () =>
    queries.sumListedSignatures(ctx.pools.replica),
  );

/** Returns the first petitions of a public list. Promoted petitions have no precedence. */
export function findPublicPetitions(
  db: Db,
  filter: { categoryId?: string | undefined },
  sort: Sort,
  limit: number,
): Promise<PetitionRow[]> {
  return queries.listPetitions(db, { scope: 'public', ...filter }, sort, null, limit);
}

/** Caches public pages briefly. */
async function readPage(
  ctx: Context,
  filter: PetitionFilter | undefined,
  selection: PageSelection,
): Promise<Page<PetitionSummary> | Rendered> {
  const { sort = 'recent', limit = defaultLimit, cursor } = selection;
  const after = decodeCursor(sort, keyKinds[sort], cursor);
  if (!filter) return { items: [], nextCursor: null };
  if (filter.scope !== 'public' || filter.draftsOf) return readRows(ctx, filter, selection);
  const key = JSON.stringify([filter, sort, after, limit, languageAsked(selection.lang)]);
  const read = async () => renderPage(await readRows(ctx, filter, selection));
  return ctx.cache.read(listGroup, key, read, isSmall);
}

type PageSelection = Pick<PetitionListQuery, 'sort' | 'limit' | 'cursor' | 'lang'>;

async function readRows(
  ctx: Context,
  filter: PetitionFilter,
  { sort = 'recent', limit = defaultLimit, cursor, lang }: PageSelection,
): Promise<Page<PetitionSummary>> {
  const after = decodeCursor(sort, keyKinds[sort], cursor);
  const db = ctx.pools.replica;
  const { rows, cursorOf } =
    sort === 'trending'
      ? await readTrending(ctx, filter, after, limit + 1)
      : await readSorted(db, filter, sort, after, limit + 1);
  const named = await nameCategories(ctx, rows, languageAsked(lang));
  return toPage(named, limit, cursorOf, (row) => presentSummary(ctx, row));
}

/** Larger pages are not cached: 20 petitions take about 30 kB, 100 long ones 5 MB. */
const maxCachedBytes = 262_144;
const isSmall = ({ head }: Rendered) => head.length <= maxCachedBytes;

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
    ({ recent: row.sort_at.toISOString(), popular: row.sort_count })[sort];
  return {
    rows: await queries.listPetitions(db, filter, sort, after, limit),
    cursorOf: (row) => encodeCursor(sort, [keyOf(row), row.id]),
  };
}

/** Query parameters that filter petitions. */
export type FilterQuery = Pick<PetitionListQuery, keyof typeof petitionFilter>;

/**
 * Converts a query to a filter; undefined if the caller may see none of the petitions.
 * @throws {Problem} validation-failed
 */
export async function toFilter(
  ctx: Context,
  caller: Caller | null,
  query: FilterQuery,
): Promise<PetitionFilter | undefined> {
  const filter = await conditionsOf(ctx, query);
  const creatorId = query.creatorId?.toLowerCase();
  const isOwn = caller !== null && (!creatorId || creatorId === caller.userId);
  if (isOwn && creatorId) return { ...filter, scope: { creatorId: caller.userId } };
  const { statuses } = filter;
  if (!statuses?.includes('draft')) return { ...filter, scope: 'public', creatorId };
  const listed = statuses.filter((status) => status !== 'draft');
  if (listed.length === 0) {
    return isOwn ? { ...filter, scope: { creatorId: caller.userId } } : undefined;
  }
  const draftsOf = isOwn ? caller.userId : undefined;
  return { ...filter, scope: 'public', creatorId, statuses: listed, draftsOf };
}

/** What a query asks of petitions, whoever sees them. Equal queries have equal conditions, which are cache keys. */
async function conditionsOf(ctx: Context, query: FilterQuery) {
  const { status, created_after: after, created_before: before } = query;
  return {
    statuses: status === undefined ? undefined : statusesOf(status),
    categoryId: await categoryAsked(ctx, query),
    tagKeys: tagKeysAsked(query),
    createdAfter: after === undefined ? undefined : parseDateTime('created_after', after),
    createdBefore: before === undefined ? undefined : parseDateTime('created_before', before),
  };
}

/** Distinct and sorted. */
const statusesOf = (list: string): PetitionStatus[] =>
  petitionStatuses.filter((status) => list.split(',').includes(status));

interface VersionListQuery {
  access_code?: string;
  cursor?: string;
  limit?: number;
}

/** Returns a page of the versions of a petition's text, newest first. */
export const listVersions = (
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: VersionListQuery,
): Promise<Page<PetitionVersion>> =>
  pageOfVersions(ctx, caller, ref, query, queries.listVersions, (row) => ({
    ...row,
    text_hash: row.text_hash.toString('base64url'),
  }));

type VersionDate = Pick<PetitionVersion, 'version' | 'signatures_before' | 'created_at'>;

/** As `listVersions`, without the texts. */
export const listVersionDates = (
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: VersionListQuery,
): Promise<Page<VersionDate>> =>
  pageOfVersions(ctx, caller, ref, query, queries.listVersionDates, (row) => row);

/** Returns a page of what `read` returns of the versions before one, or of the newest. */
async function pageOfVersions<Row extends { version: number }, Item>(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, cursor, limit = defaultLimit }: VersionListQuery,
  read: (db: Db, petitionId: string, before: number | null, limit: number) => Promise<Row[]>,
  present: (row: Row) => Item,
): Promise<Page<Item>> {
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  const after = decodeCursor('versions', ['integer'], cursor);
  const rows = await read(ctx.db, petition.id, after ? Number(after[0]) : null, limit + 1);
  return toPage(rows, limit, (row) => encodeCursor('versions', [row.version]), present);
}

/**
 * Returns two versions of a petition's text.
 * @throws {Problem} not-found if one of them does not exist
 */
export async function findVersionPair(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { from, to, access_code }: { from: number; to: number; access_code?: string | undefined },
): Promise<{ from: VersionText; to: VersionText }> {
  const petition = await requireReadablePetition(ctx, caller, ref, access_code);
  const rows = await queries.findVersions(ctx.db, petition.id, [from, to]);
  const [first, second] = [from, to].map((one) => rows.find(({ version }) => version === one));
  if (!first || !second) throw notFound('version');
  return { from: first, to: second };
}

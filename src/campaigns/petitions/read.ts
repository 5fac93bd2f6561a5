import type { Context } from '../../platform/context.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { render } from '../../platform/http/answer.ts';
import type { Call, Caller, Rendered } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { forbidden, notFound } from '../../platform/problems.ts';
import { languageAsked, nameCategory } from '../categories/categories.ts';
import {
  findDecisionMakers,
  findDecisionMakersOfMany,
  type DecisionMakerRow,
} from './decision-maker-queries.ts';
import {
  analyticsForbidden,
  canEdit,
  canReadAnalytics,
  canSeePetition,
  isAccessCode,
  isCreator,
  isOpenToAll,
  requireEditable,
  requireOrganized,
  requireOwn,
  requireReadable,
  requireVisible,
  wasRemovedFromPublic,
} from './policy.ts';
import { presentPetition, presentRecord, presentSummary } from './present.ts';
import { languageGroup, petitionGroup, slugGroup } from './cache.ts';
import * as queries from './queries.ts';
import { petitionRevision } from './revision.ts';
import type { PetitionRow } from './queries.ts';
import type { Petition, PetitionRecord, PetitionSummary, ReadQuery } from './schema.ts';
import { lockPetition, withRoles } from './state.ts';

export type { PetitionRow } from './queries.ts';

interface CachedPetition {
  row: PetitionRow;
  makers: DecisionMakerRow[];
  /** The answer for all anonymous readers, if the petition is open to them. */
  rendered: Rendered | undefined;
}

/** Returns the id of a petition by slug or id; undefined for an unknown slug. */
export async function resolvePetitionRef(ctx: Context, ref: string): Promise<string | undefined> {
  if (isUuid(ref)) return ref.toLowerCase();
  return ctx.cache.read(slugGroup, ref, () => queries.findIdBySlug(ctx.pools.main, ref));
}

/** Returns the language of a petition, of up to a second ago; null if its creator named none, or there is no such petition. */
export const readLanguage = async (ctx: Context, id: string): Promise<string | null> =>
  (await ctx.cache.read(languageGroup, id, () => queries.findLanguage(ctx.pools.main, id))) ?? null;

/** Returns a petition from the cache, where this process's own writes show at once. */
async function readCached(ctx: Context, ref: string): Promise<CachedPetition | undefined> {
  const id = await resolvePetitionRef(ctx, ref);
  if (!id) return undefined;
  return ctx.cache.read(petitionGroup, id, async () => {
    const row = await queries.findPetition(ctx.pools.main, id);
    if (!row) return undefined;
    const makers = await findDecisionMakers(ctx.pools.main, id);
    const rendered = isOpenToAll(row)
      ? render(presentPetition(ctx, row, makers, null), petitionRevision(row))
      : undefined;
    return { row, makers, rendered };
  });
}

/** Called for each read of a petition. */
export type RecordRead = (
  petition: PetitionRow,
  call: Pick<Call, 'method' | 'caller' | 'headers'> & { query: ReadQuery },
) => void;

/** Returns the petition as the caller may see it. */
export async function getPetition(
  call: Pick<Call, 'ctx' | 'method' | 'caller' | 'headers'> & { query: ReadQuery },
  ref: string,
  noteRead: RecordRead,
): Promise<Petition | Rendered> {
  const { ctx, caller } = call;
  const cached = await readCached(ctx, ref);
  const row = await requireReadable(ctx, cached?.row, caller, call.query.access_code);
  noteRead(row, call);
  const language = languageAsked(call.query.lang);
  if (cached!.rendered && !canEdit(row, caller) && !language) return cached!.rendered;
  const named = await nameCategory(ctx, row, language);
  return presentPetition(ctx, named, cached!.makers, caller);
}

/** As `getPetition`, for HTML pages. */
export async function showPetition(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<Petition> {
  const cached = await readCached(ctx, ref);
  const row = await requireReadable(ctx, cached?.row, caller, code);
  return presentPetition(ctx, row, cached!.makers, caller);
}

/**
 * Returns the petition's row, for slices with resources of a petition.
 * @throws {Problem} not-found, or forbidden for a private petition without its access code
 */
export async function requireReadablePetition(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<PetitionRow> {
  return requireReadable(ctx, (await readCached(ctx, ref))?.row, caller, code);
}

/** Returns the slug to which a former one leads; undefined for other references. */
export async function findCurrentSlug(ctx: Context, ref: string): Promise<string | undefined> {
  if (isUuid(ref)) return undefined;
  const slug = (await readCached(ctx, ref))?.row.slug;
  return slug === ref ? undefined : slug;
}

/**
 * Whether a petition that everybody could read was removed. False for drafts and private petitions, as for unknown ones:
 * strangers must not learn that they existed.
 */
export async function isRemovedPetition(ctx: Context, ref: string): Promise<boolean> {
  const cached = await readCached(ctx, ref);
  return cached !== undefined && wasRemovedFromPublic(cached.row);
}

/**
 * Returns petitions by id as the public sees them, for the recipients of events. Omits those that were
 * erased.
 */
export async function findPetitionsForEvents(
  ctx: Context,
  db: Db,
  ids: string[],
): Promise<Map<string, PetitionRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await queries.findPetitions(db, ids);
  const makers = Map.groupBy(
    await findDecisionMakersOfMany(db, ids),
    ({ petition_id }) => petition_id,
  );
  return new Map(
    rows.map((row) => [row.id, presentRecord(ctx, row, makers.get(row.id) ?? [], null)]),
  );
}

/** Returns those of the petitions that are in public lists now, in the order of the ids. */
export async function findListedPetitions(ctx: Context, ids: string[]): Promise<PetitionSummary[]> {
  if (ids.length === 0) return [];
  const rows = await queries.findListedPetitions(ctx.pools.main, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? presentSummary(ctx, row) : [];
  });
}

/**
 * Returns the petition as the public sees it, without asking for an access code, for callers with another
 * credential. Undefined if it is not published.
 */
export async function findPublishedPetition(
  ctx: Context,
  ref: string,
): Promise<Petition | undefined> {
  const cached = await readCached(ctx, ref);
  if (!cached || !canSeePetition(cached.row, null)) return undefined;
  return presentPetition(ctx, cached.row, cached.makers, null);
}

/**
 * Checks an access code, for creators and moderators too. Accepts any code for petitions that are not private.
 * @throws {Problem} not-found, or forbidden for a wrong code
 */
export async function checkAccess(ctx: Context, caller: Caller | null, ref: string, code: string) {
  const petition = requireVisible((await readCached(ctx, ref))?.row, caller);
  if (petition.visibility === 'private' && !(await isAccessCode(ctx, petition, code))) {
    throw forbidden('The access code is wrong.');
  }
  return { valid: true };
}

/**
 * Returns a petition that the caller can see, bypassing the cache.
 * @throws {Problem} not-found
 */
export const requireVisiblePetition = async (ctx: Context, caller: Caller, ref: string) =>
  requireVisible(await findFresh(ctx, ref), caller);

/**
 * Returns the caller's own petition, bypassing the cache.
 * @throws {Problem} not-found if the caller cannot see it, forbidden if another user created it
 */
export const requireOwnPetition = async (ctx: Context, caller: Caller, ref: string) =>
  requireOwn(await findFresh(ctx, ref), caller);

/**
 * Returns a petition that the caller may edit, bypassing the cache.
 * @throws {Problem} not-found if the caller cannot see it, forbidden unless they are its creator or an editor
 */
export const requireEditablePetition = async (ctx: Context, caller: Caller, ref: string) =>
  requireEditable(await findFresh(ctx, ref), caller);

/**
 * Locks the caller's own petition until the transaction ends. Call it in the transaction of a change, after
 * `requireOwnPetition`: the petition may have been handed over meanwhile.
 * @throws {Problem} as `requireOwnPetition`
 */
export const lockOwnPetition = async (tx: Tx, caller: Caller, id: string) =>
  requireOwn(await withRoles(tx, await lockPetition(tx, id), caller), caller);

/** As `lockOwnPetition`, for a petition that the caller may edit. @throws {Problem} as `requireEditablePetition` */
export const lockEditablePetition = async (tx: Tx, caller: Caller, id: string) =>
  requireEditable(await withRoles(tx, await lockPetition(tx, id), caller), caller);

/**
 * Returns a petition that the caller organizes, bypassing the cache.
 * @throws {Problem} not-found if the caller cannot see it, forbidden unless they are its creator, an editor or author
 */
export const requireOrganizedPetition = async (ctx: Context, caller: Caller, ref: string) =>
  requireOrganized(await findFresh(ctx, ref), caller);

/** Returns a petition by slug or id, bypassing the cache. */
async function findFresh(ctx: Context, ref: string): Promise<PetitionRow | undefined> {
  const id = await resolvePetitionRef(ctx, ref);
  return id ? queries.findPetition(ctx.db, id) : undefined;
}

/** Returns a petition of the caller by its id, bypassing the cache; undefined if they have created none of it. */
export async function findOwnPetition(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<Petition | undefined> {
  const row = await queries.findPetition(ctx.db, id);
  if (!row || row.deleted_at !== null || !isCreator(row, caller)) return undefined;
  return presentPetition(ctx, row, await findDecisionMakers(ctx.db, id), caller);
}

/** Whether there is or was a petition of this id, whoever may see it. */
export const petitionExists = (ctx: Context, id: string): Promise<boolean> =>
  queries.petitionExists(ctx.db, id);

/** Returns the caller's own petition as its creator sees it, bypassing the cache. */
export async function getOwnPetition(ctx: Context, caller: Caller, ref: string): Promise<Petition> {
  const row = await requireOwnPetition(ctx, caller, ref);
  return presentPetition(ctx, row, await findDecisionMakers(ctx.db, row.id), caller);
}

/**
 * Returns a petition whose analytics the caller may read, bypassing the cache.
 * @throws {Problem} not-found if the caller cannot see it, forbidden without that permission
 */
export async function requireAnalysablePetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<PetitionRow> {
  const petition = await requireVisiblePetition(ctx, caller, ref);
  if (!(await canReadAnalytics(ctx, petition, caller))) throw analyticsForbidden();
  return petition;
}

/** Returns the petition as the caller sees it, bypassing the cache. */
export async function readFreshPetition(
  ctx: Context,
  id: string,
  caller: Caller,
): Promise<Petition> {
  const row = await queries.findPetition(ctx.db, id);
  if (!row) throw notFound('petition');
  return presentPetition(ctx, row, await findDecisionMakers(ctx.db, id), caller);
}

import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { render } from '../../platform/http/answer.ts';
import type { Call, Caller, Rendered } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { forbidden } from '../../platform/problems.ts';
import { decisionMakersOf, decisionMakersOfAll, type DecisionMakerRow } from './decision-makers.ts';
import {
  canSee,
  isAccessCode,
  isCreator,
  isOpenToAll,
  requireReadable,
  requireSeen,
} from './policy.ts';
import { presentPetition, presentSummary } from './present.ts';
import * as queries from './queries.ts';
import type { PetitionRow } from './queries.ts';
import type { Petition, PetitionSummary, ReadQuery } from './schema.ts';

const cacheGroup = 'petitions';
const slugGroup = 'petition-slugs';
export const listGroup = 'petition-lists';

interface Remembered {
  row: PetitionRow;
  makers: DecisionMakerRow[];
  /** The answer for everybody, where everybody may have it. */
  view: Rendered | undefined;
}

/** The id behind a slug or an id, or undefined where a slug is unknown. */
export async function resolveRef(ctx: Context, ref: string): Promise<string | undefined> {
  if (isUuid(ref)) return ref.toLowerCase();
  return ctx.cache.read(slugGroup, ref, () => queries.findIdBySlug(ctx.pools.main, ref));
}

/** A petition as it was at most a moment ago; this process's own writes show at once. */
async function recall(ctx: Context, ref: string): Promise<Remembered | undefined> {
  const id = await resolveRef(ctx, ref);
  if (!id) return undefined;
  return ctx.cache.read(cacheGroup, id, async () => {
    const row = await queries.findPetition(ctx.pools.main, id);
    if (!row) return undefined;
    const makers = await decisionMakersOf(ctx.pools.main, id);
    const view = isOpenToAll(row) ? render(presentPetition(ctx, row, makers, null)) : undefined;
    return { row, makers, view };
  });
}

/** Makes a slug known that was perhaps asked for before it was there. */
export function forgetSlug(ctx: Context, slug: string): void {
  ctx.cache.drop(slugGroup, slug);
}

/** Makes this process forget what it remembers of petitions that have just changed. */
export function forgetPetitions(ctx: Context, ids: Iterable<string>): void {
  for (const id of ids) ctx.cache.drop(cacheGroup, id);
  ctx.cache.drop(listGroup);
}

/** The same for all of them, where it is not known which have changed. */
export function forgetAllPetitions(ctx: Context): void {
  ctx.cache.drop(cacheGroup);
  ctx.cache.drop(listGroup);
}

/** Told of each read of a petition, by whom and how it was asked for. */
export type NoteRead = (
  petition: PetitionRow,
  call: Pick<Call, 'method' | 'caller' | 'headers'> & { query: ReadQuery },
) => void;

/** The petition as the caller may see it. */
export async function getPetition(
  call: Pick<Call, 'ctx' | 'method' | 'caller' | 'headers'> & { query: ReadQuery },
  ref: string,
  noteRead: NoteRead,
): Promise<Petition | Rendered> {
  const { ctx, caller } = call;
  const known = await recall(ctx, ref);
  const row = requireReadable(ctx, known?.row, caller, call.query.access_code);
  noteRead(row, call);
  if (known!.view && !isCreator(row, caller)) return known!.view;
  return presentPetition(ctx, row, known!.makers, caller);
}

/** The same, for pages of the site, which write it out in their own way. */
export async function showPetition(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<Petition> {
  const known = await recall(ctx, ref);
  const row = requireReadable(ctx, known?.row, caller, code);
  return presentPetition(ctx, row, known!.makers, caller);
}

/**
 * The petition's row, for slices that hold something of it.
 * @throws {Problem} not-found, or forbidden for a private one without its code
 */
export async function readablePetition(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<PetitionRow> {
  return requireReadable(ctx, (await recall(ctx, ref))?.row, caller, code);
}

/**
 * Many petitions as they are now, by id, without what only their creators see: for telling of them those
 * who may know of them. Those that are no more are left out.
 */
export async function petitionsForEvents(
  ctx: Context,
  db: Db,
  ids: string[],
): Promise<Map<string, Petition>> {
  if (ids.length === 0) return new Map();
  const rows = await queries.findPetitions(db, ids);
  const makers = Map.groupBy(await decisionMakersOfAll(db, ids), ({ petition_id }) => petition_id);
  return new Map(
    rows.map((row) => [row.id, presentPetition(ctx, row, makers.get(row.id) ?? [], null)]),
  );
}

/** Those of the petitions that are in public lists at this moment, in the order of the ids. */
export async function listedPetitions(ctx: Context, ids: string[]): Promise<PetitionSummary[]> {
  if (ids.length === 0) return [];
  const rows = await queries.findListed(ctx.pools.main, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? presentSummary(row, ctx.now()) : [];
  });
}

/**
 * The petition as everybody sees it, for somebody whom another credential lets in; undefined where
 * nobody in particular can see it.
 */
export async function petitionForGuest(ctx: Context, ref: string): Promise<Petition | undefined> {
  const known = await recall(ctx, ref);
  if (!known || !canSee(known.row, null)) return undefined;
  return presentPetition(ctx, known.row, known.makers, null);
}

/** Whether the code opens the petition, whoever asks; those that are not private are open. */
export async function checkAccess(ctx: Context, caller: Caller | null, ref: string, code: string) {
  const { id, visibility } = requireSeen((await recall(ctx, ref))?.row, caller);
  if (visibility === 'private' && !isAccessCode(ctx, id, code)) {
    throw forbidden('The access code is wrong.');
  }
  return { valid: true };
}

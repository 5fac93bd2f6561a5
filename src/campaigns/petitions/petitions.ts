import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor, type Actor } from '../../platform/events.ts';
import { organizationOf, type Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, forbidden, notFound } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import { addDecisionMakers, findDecisionMakers } from './decision-makers.ts';
import {
  goalBelowCount,
  rejectChangesOfPublishedTerms,
  requireDistinctAddresses,
  requireMembership,
  requireReferences,
  toChanges,
  trimmedTitle,
  effectiveChanges,
} from './input.ts';
import type { TransitionName } from './lifecycle.ts';
import { transitionPetition } from './moving.ts';
import { canReadAnalytics, powersOver, requireOwn, requireVisible, type Powers } from './policy.ts';
import { presentPetition } from './present.ts';
import * as queries from './queries.ts';
import type { PetitionRow } from './queries.ts';
import { forgetPetitions, invalidateSlug, resolveRef } from './reading.ts';
import type { Petition, PetitionInput, PetitionUpdate } from './schema.ts';
import { tidyTags } from './tags.ts';

export { keepUnderReview } from './moving-queries.ts';
export {
  transitionPetition,
  restorePetitionsOfCreator,
  reviewPetitionsOfCreator,
} from './moving.ts';
export {
  canExportSignatures,
  canListSignatures,
  canRead as canReadPetition,
  canSee as canSeePetition,
  isAccessCode,
  isCreator,
  isModerator,
  isOpenToAll,
  isPublished,
  powersOver,
  accessCodeRequired,
  type Powers,
} from './policy.ts';
export {
  ownPetitions,
  petitionsOfLedOrganizations,
  petitionsOfOrganization,
  type DashboardEntry,
} from './dashboard-lists.ts';
export { exportPetitions } from './exporting.ts';
export {
  browsePetitions,
  browsePublicPetitions,
  listVersions,
  readPublicPetitions,
} from './listing.ts';
export { tagKey } from './tags.ts';
export { promotePetition } from './promotion-queries.ts';
export { addDecisionMakers, removeDecisionMaker } from './decision-makers.ts';
export { presentSummary } from './present.ts';
export {
  holdPetitionsOfOrganization,
  lockPetition,
  ownPetitionCounts,
  petitionsByStatus,
  type PetitionRow,
} from './queries.ts';
export {
  findPetitionState,
  lockPetitionShare,
  lockPetitionKeyShare,
  type PetitionState,
} from './state-queries.ts';
export {
  forgetAllPetitions,
  forgetPetitions,
  listedPetitions,
  petitionForGuest,
  petitionsForEvents,
  readablePetition,
  resolveRef,
  showPetition,
  type NoteRead,
} from './reading.ts';

/**
 * Returns a petition that the caller can see, bypassing the cache.
 * @throws {Problem} not-found
 */
export async function findVisiblePetition(ctx: Context, caller: Caller, ref: string) {
  const id = await resolveRef(ctx, ref);
  return requireVisible(id ? await queries.findPetition(ctx.db, id) : undefined, caller);
}

/**
 * Returns the caller's own petition, bypassing the cache.
 * @throws {Problem} not-found if the caller cannot see it, forbidden if another user created it
 */
export async function ownPetition(ctx: Context, caller: Caller, ref: string): Promise<PetitionRow> {
  const id = await resolveRef(ctx, ref);
  return requireOwn(id ? await queries.findPetition(ctx.db, id) : undefined, caller);
}

/** Returns the caller's own petition as its creator sees it, bypassing the cache. */
export async function showOwnPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Petition> {
  const row = await ownPetition(ctx, caller, ref);
  return presentPetition(ctx, row, await findDecisionMakers(ctx.db, row.id), caller);
}

/**
 * Returns a petition whose analytics the caller may read, bypassing the cache.
 * @throws {Problem} not-found if the caller cannot see it, forbidden without that permission
 */
export async function analysedPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<PetitionRow> {
  const petition = await findVisiblePetition(ctx, caller, ref);
  if (!(await canReadAnalytics(ctx, petition, caller))) throw analyticsRefused();
  return petition;
}

const analyticsRefused = () =>
  forbidden(
    'The analytics of a petition are for its creator, and owner and admins of its organization.',
  );

export interface DashboardPetition {
  petition: Petition;
  /** What the caller may do. */
  may: Powers;
}

/**
 * Returns a petition for the dashboard of a caller who may read its analytics, bypassing the cache.
 * @throws {Problem} as `analysedPetition`
 */
export async function dashboardPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<DashboardPetition> {
  const row = await findVisiblePetition(ctx, caller, ref);
  const may = await powersOver(ctx, row, caller);
  if (!may.analytics) throw analyticsRefused();
  const makers = await findDecisionMakers(ctx.db, row.id);
  return { petition: presentPetition(ctx, row, makers, caller), may };
}

export async function createPetition(
  ctx: Context,
  caller: Caller,
  input: PetitionInput,
): Promise<Petition> {
  const title = trimmedTitle(input.title);
  requireDistinctAddresses(input.decisionMakers ?? []);
  await requireReferences(ctx, input);
  const id = newId();
  // An API key of an organization creates petitions of that organization by default.
  const orgId = input.orgId ?? organizationOf(caller);
  const slug = await transaction(ctx.db, async (tx) => {
    if (orgId) await requireMembership(tx, caller, orgId);
    const freeSlug = await insertUnderFreeSlug(tx, {
      id,
      creatorId: caller.userId,
      title,
      description: input.description,
      visibility: input.visibility ?? 'public',
      signaturePrivacy: input.signaturePrivacy ?? 'public',
      signatureGoal: input.signatureGoal ?? null,
      categoryId: input.categoryId ?? null,
      ...tidyTags(input.tags ?? []),
      imageUrl: input.imageUrl ?? null,
      locationCity: input.locationCity?.trim() || null,
      locationRegion: input.locationRegion?.trim() || null,
      locationCountry: input.locationCountry?.toUpperCase() ?? null,
      language: input.language ?? null,
      orgId,
    });
    await addDecisionMakers(tx, id, input.decisionMakers ?? []);
    await emit(tx, { type: 'petition.created', petitionId: id, actor: userActor(caller) });
    return freeSlug;
  });
  invalidateSlug(ctx, slug);
  return rereadPetition(ctx, id, caller);
}

async function insertUnderFreeSlug(tx: Tx, petition: queries.NewPetition): Promise<string> {
  for (const slug of slugCandidates(slugify(petition.title, 'petition'))) {
    if (await queries.insertPetition(tx, petition, slug)) return slug;
  }
  throw new Error('no free slug was found');
}

export async function updatePetition(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: PetitionUpdate,
): Promise<Petition> {
  const petition = await ownPetition(ctx, caller, ref);
  await requireReferences(ctx, input);
  const changes = effectiveChanges(petition, toChanges(input));
  if (Object.keys(changes).length === 0) return rereadPetition(ctx, petition.id, caller);
  const { signature_goal: goal } = changes;
  const { signature_count: count } = petition;
  if (goal && goal < count) throw goalBelowCount(count);
  if (petition.published_at) rejectChangesOfPublishedTerms(changes);
  // A petition that was never published keeps one version only.
  const version =
    petition.version + (queries.changesText(changes) && petition.published_at ? 1 : 0);

  await transaction(ctx.db, async (tx) => {
    if (changes.org_id) await requireMembership(tx, caller, changes.org_id);
    await emit(tx, {
      type: 'petition.updated',
      petitionId: petition.id,
      actor: userActor(caller),
      data: { version, fields: Object.keys(changes).join(',') },
    });
    // Locks the petition's row last, so that signing waits briefly.
    if (!(await queries.updatePetition(tx, petition, version, changes))) {
      throw conflict('edit_conflict', 'The petition was changed meanwhile. Read it and try again.');
    }
  });
  forgetPetitions(ctx, [petition.id]);
  return rereadPetition(ctx, petition.id, caller);
}

/** Publishes a draft, or submits it for review if MODERATION is `pre`. */
export function publishPetition(ctx: Context, caller: Caller, ref: string): Promise<Petition> {
  const name = ctx.config.moderation === 'pre' ? 'submit' : 'publish';
  return moveOwn(ctx, caller, ref, name);
}

export function closePetition(ctx: Context, caller: Caller, ref: string): Promise<Petition> {
  return moveOwn(ctx, caller, ref, 'close');
}

export function declareVictory(
  ctx: Context,
  caller: Caller,
  ref: string,
  message: string | undefined,
): Promise<Petition> {
  return moveOwn(ctx, caller, ref, 'victory', message);
}

async function moveOwn(
  ctx: Context,
  caller: Caller,
  ref: string,
  name: TransitionName,
  victoryMessage?: string,
): Promise<Petition> {
  const petition = await ownPetition(ctx, caller, ref);
  const actor = userActor(caller);
  await transaction(ctx.db, (tx) =>
    transitionPetition(tx, { petition, name, actor, victoryMessage }),
  );
  forgetPetitions(ctx, [petition.id]);
  return rereadPetition(ctx, petition.id, caller);
}

export async function deletePetition(ctx: Context, caller: Caller, ref: string): Promise<void> {
  const petition = await ownPetition(ctx, caller, ref);
  await transaction(ctx.db, (tx) => removePetition(tx, petition.id, userActor(caller)));
  forgetPetitions(ctx, [petition.id]);
}

/** Hides a petition from everybody, permanently. Its row is retained. */
export async function removePetition(tx: Tx, petitionId: string, actor: Actor): Promise<void> {
  await emit(tx, { type: 'petition.deleted', petitionId, actor });
  await queries.softDelete(tx, petitionId);
}

/** Returns the petition as the caller sees it, bypassing the cache. */
export async function rereadPetition(ctx: Context, id: string, caller: Caller): Promise<Petition> {
  const row = await queries.findPetition(ctx.db, id);
  if (!row) throw notFound('petition');
  return presentPetition(ctx, row, await findDecisionMakers(ctx.db, id), caller);
}

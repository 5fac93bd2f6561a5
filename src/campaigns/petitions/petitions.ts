import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor, type Actor } from '../../platform/events.ts';
import { organizationOf, type Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, forbidden, notFound } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import { addDecisionMakers, decisionMakersOf } from './decision-makers.ts';
import {
  goalBelowCount,
  refusePromisesChanged,
  requireDistinctAddresses,
  requireMembership,
  requireReferences,
  toChanges,
  trimmedTitle,
  whatDiffers,
} from './input.ts';
import type { TransitionName } from './lifecycle.ts';
import { movePetition } from './moving.ts';
import { canReadAnalytics, powersOver, requireOwn, requireSeen, type Powers } from './policy.ts';
import { presentPetition } from './present.ts';
import * as queries from './queries.ts';
import type { PetitionRow } from './queries.ts';
import { forgetPetitions, forgetSlug, resolveRef } from './reading.ts';
import type { Petition, PetitionInput, PetitionUpdate } from './schema.ts';
import { tidyTags } from './tags.ts';

export { keepUnderReview } from './moving-queries.ts';
export { movePetition, restorePetitionsOf, reviewPetitionsOf } from './moving.ts';
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
  privatePetition,
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
  holdPetition,
  keepPetition,
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

/** A petition that the caller can see, read anew: for those who decide something about it. */
export async function seenPetition(ctx: Context, caller: Caller, ref: string) {
  const id = await resolveRef(ctx, ref);
  return requireSeen(id ? await queries.findPetition(ctx.db, id) : undefined, caller);
}

/**
 * The caller's own petition, read anew.
 * @throws {Problem} not-found where it cannot be seen, forbidden where it is another's
 */
export async function ownPetition(ctx: Context, caller: Caller, ref: string): Promise<PetitionRow> {
  const id = await resolveRef(ctx, ref);
  return requireOwn(id ? await queries.findPetition(ctx.db, id) : undefined, caller);
}

/** The caller's own petition as its creator sees it, read anew. */
export async function showOwnPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Petition> {
  const row = await ownPetition(ctx, caller, ref);
  return presentPetition(ctx, row, await decisionMakersOf(ctx.db, row.id), caller);
}

/**
 * A petition of which the caller may read the analytics, read anew.
 * @throws {Problem} not-found where it cannot be seen, forbidden for others
 */
export async function analysedPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<PetitionRow> {
  const petition = await seenPetition(ctx, caller, ref);
  if (!(await canReadAnalytics(ctx, petition, caller))) throw analyticsRefused();
  return petition;
}

const analyticsRefused = () =>
  forbidden(
    'The analytics of a petition are for its creator, and owner and admins of its organization.',
  );

/** A petition as it is on a desk. */
export interface DashboardPetition {
  petition: Petition;
  /** Of whoever looks. */
  may: Powers;
}

/**
 * The petition for the desk of its creator, or of others who may read its analytics, read anew.
 * @throws {Problem} as analysedPetition
 */
export async function dashboardPetition(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<DashboardPetition> {
  const row = await seenPetition(ctx, caller, ref);
  const may = await powersOver(ctx, row, caller);
  if (!may.analytics) throw analyticsRefused();
  const makers = await decisionMakersOf(ctx.db, row.id);
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
  // What a key of an organization creates belongs there unless it says otherwise.
  const orgId = input.orgId ?? organizationOf(caller);
  const slug = await transaction(ctx.db, async (tx) => {
    if (orgId) await requireMembership(tx, caller, orgId);
    const free = await insertUnderFreeSlug(tx, {
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
    return free;
  });
  forgetSlug(ctx, slug);
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
  const changes = whatDiffers(petition, toChanges(input));
  if (Object.keys(changes).length === 0) return rereadPetition(ctx, petition.id, caller);
  const { signature_goal: goal } = changes;
  const { signature_count: count } = petition;
  if (goal && goal < count) throw goalBelowCount(count);
  if (petition.published_at) refusePromisesChanged(changes);
  // What was never published is nobody's to look up later: it keeps one version only.
  const version = petition.version + (queries.rewrites(changes) && petition.published_at ? 1 : 0);

  await transaction(ctx.db, async (tx) => {
    if (changes.org_id) await requireMembership(tx, caller, changes.org_id);
    await emit(tx, {
      type: 'petition.updated',
      petitionId: petition.id,
      actor: userActor(caller),
      data: { version, fields: Object.keys(changes).join(',') },
    });
    // The petition's row comes last, so that signing waits for it as little as can be.
    if (!(await queries.updatePetition(tx, petition, version, changes))) {
      throw conflict('edit_conflict', 'The petition was changed meanwhile. Read it and try again.');
    }
  });
  forgetPetitions(ctx, [petition.id]);
  return rereadPetition(ctx, petition.id, caller);
}

/** The creator's publishing; where petitions are reviewed first, it asks for the review. */
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
  await transaction(ctx.db, (tx) => movePetition(tx, { petition, name, actor, victoryMessage }));
  forgetPetitions(ctx, [petition.id]);
  return rereadPetition(ctx, petition.id, caller);
}

export async function deletePetition(ctx: Context, caller: Caller, ref: string): Promise<void> {
  const petition = await ownPetition(ctx, caller, ref);
  await transaction(ctx.db, (tx) => removePetition(tx, petition.id, userActor(caller)));
  forgetPetitions(ctx, [petition.id]);
}

/** Takes a petition from everybody's sight for good; the record is retained. */
export async function removePetition(tx: Tx, petitionId: string, actor: Actor): Promise<void> {
  await emit(tx, { type: 'petition.deleted', petitionId, actor });
  await queries.softDelete(tx, petitionId);
}

/** The petition as it is now, as the caller sees it. */
export async function rereadPetition(ctx: Context, id: string, caller: Caller): Promise<Petition> {
  const row = await queries.findPetition(ctx.db, id);
  if (!row) throw notFound('petition');
  return presentPetition(ctx, row, await decisionMakersOf(ctx.db, id), caller);
}

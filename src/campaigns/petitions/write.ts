import type { Context } from '../../platform/context.ts';
import { isUniqueViolation, transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor, type Actor } from '../../platform/events.ts';
import { organizationOf, type Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { altWithoutPicture } from '../../platform/images.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { conflict, invalidValue } from '../../platform/problems.ts';
import { slugCandidates, slugify } from '../../platform/slug.ts';
import { parseDateTime } from '../../platform/http/times.ts';
import { evictPetitions, invalidateSlug } from './cache.ts';
import { requireChangeableDate, requireFuture, requireOpenDate } from './closing-dates.ts';
import { addDecisionMakers } from './decision-maker-queries.ts';
import {
  effectiveChanges,
  goalBelowCount,
  rejectChangesOfCreatorsTerms,
  rejectChangesOfPublishedTerms,
  requireDistinctAddresses,
  requireMembership,
  resolveReferences,
  toChanges,
  trimmedTitle,
  withImageAlt,
} from './input.ts';
import type { TransitionName } from './lifecycle.ts';
import * as queries from './queries.ts';
import { isCreator, requireEditable, requireOwn } from './policy.ts';
import {
  lockOwnPetition,
  readFreshPetition,
  requireEditablePetition,
  requireOwnPetition,
  type PetitionRow,
} from './read.ts';
import type { PetitionPrecondition } from './revision.ts';
import type { Petition, PetitionInput, PetitionUpdate, RedactionInput } from './schema.ts';
import { withRoles } from './state.ts';
import { tidyTags } from './tags.ts';
import { removePetition, transitionPetition } from './transition.ts';

export {
  addDecisionMakers,
  forgetVerifier,
  listMakersToVerify,
  removeDecisionMaker,
  setVerified,
} from './decision-maker-queries.ts';
export { creatorsFields } from './input.ts';
export { petitionRevision, type EditablePetition } from './revision.ts';
export { promotePetition } from './promotion-queries.ts';

/** Drafts that one account may have. */
const maxDrafts = 100;

/**
 * Creates a draft. Forms choose its id, so that one that is sent twice makes one draft.
 * @throws {Problem} conflict for too many drafts; validation-failed; forbidden for an organization of others
 */
export async function createPetition(
  ctx: Context,
  caller: Caller,
  input: PetitionInput,
  id = newId(),
): Promise<Petition> {
  const title = trimmedTitle(input.title);
  const imageAlt = input.imageAlt?.trim() || null;
  if (imageAlt && !input.imageUrl) throw altWithoutPicture('imageAlt');
  const closesAt = input.closesAt === undefined ? null : parseDateTime('closesAt', input.closesAt);
  requireFuture(closesAt, ctx.now());
  requireDistinctAddresses(input.decisionMakers ?? []);
  const { categoryId = null } = await resolveReferences(ctx, input);
  // An API key of an organization creates petitions of that organization by default.
  const orgId = input.orgId ?? organizationOf(caller);
  const slug = await transaction(ctx.db, async (tx) => {
    if ((await queries.countDraftsLocked(tx, caller.userId, maxDrafts)) >= maxDrafts) {
      const message = `You have ${maxDrafts} drafts. Publish or delete some first.`;
      throw conflict('draft_limit_reached', message);
    }
    if (orgId) await requireMembership(tx, caller, orgId);
    const freeSlug = await insertUnderFreeSlug(tx, {
      id,
      creatorId: caller.userId,
      title,
      description: input.description,
      visibility: input.visibility ?? 'public',
      signaturePrivacy: input.signaturePrivacy ?? 'public',
      signatureGoal: input.signatureGoal ?? null,
      closesAt,
      categoryId,
      ...tidyTags(input.tags ?? []),
      imageUrl: input.imageUrl ?? null,
      imageAlt,
      locationCity: input.locationCity?.trim() || null,
      locationRegion: input.locationRegion?.trim() || null,
      locationCountry: input.locationCountry?.toUpperCase() ?? null,
      language: input.language ?? null,
      orgId,
    });
    await addDecisionMakers(tx, id, input.decisionMakers ?? []);
    await pictureChanged(tx, { to: input.imageUrl });
    await emit(tx, { type: 'petition.created', petitionId: id, actor: userActor(caller) });
    return freeSlug;
  });
  invalidateSlug(ctx, slug);
  return readFreshPetition(ctx, id, caller);
}

/**
 * Creates a draft under this id, or changes the one that has it.
 * @throws {Problem} as `createPetition` and `updatePetition`
 */
export async function createOrChangePetition(
  ctx: Context,
  caller: Caller,
  id: string,
  input: Omit<PetitionInput, 'decisionMakers'>,
): Promise<Petition> {
  try {
    return await createPetition(ctx, caller, input, id);
  } catch (error) {
    if (!isUniqueViolation(error, 'petitions_pkey')) throw error;
    return updatePetition(ctx, caller, id, input);
  }
}

async function insertUnderFreeSlug(tx: Tx, petition: queries.NewPetition): Promise<string> {
  for (const slug of slugCandidates(slugify(petition.title, 'petition'))) {
    if (await queries.insertPetition(tx, petition, slug)) return slug;
  }
  throw new Error('no free slug was found');
}

/** @throws {Problem} as the precondition does; validation-failed; conflict if the petition was changed meanwhile */
export async function updatePetition(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: PetitionUpdate,
  precondition?: PetitionPrecondition,
): Promise<Petition> {
  const petition = await requireEditablePetition(ctx, caller, ref);
  precondition?.(petition);
  const wanted = toChanges(await resolveReferences(ctx, input));
  const changes = effectiveChanges(petition, withImageAlt(petition, wanted));
  if (Object.keys(changes).length === 0) return readFreshPetition(ctx, petition.id, caller);
  if (!isCreator(petition, caller)) rejectChangesOfCreatorsTerms(changes);
  const { signature_goal: goal } = changes;
  const { signature_count: count } = petition;
  if (goal && goal < count) throw goalBelowCount(count);
  if (changes.closes_at !== undefined) {
    requireChangeableDate(petition, ctx.now());
    requireFuture(changes.closes_at, ctx.now());
  }
  if (petition.published_at) rejectChangesOfPublishedTerms(changes);
  // A petition that was never published keeps one version only.
  const version =
    petition.version + (queries.changesText(changes) && petition.published_at ? 1 : 0);

  await transaction(ctx.db, async (tx) => {
    if (changes.org_id) await requireMembership(tx, caller, changes.org_id);
    await pictureChanged(tx, { from: petition.image_url, to: changes.image_url });
    // Locks the petition's row last, so that signing waits briefly.
    const stored = {
      ...changes,
      // Who read the petition while it was private before need not read it now.
      ...(changes.visibility === 'private' && {
        access_code_version: petition.access_code_version + 1,
      }),
    };
    const locked = await withRoles(tx, await queries.lockEditable(tx, petition.id), caller);
    const editable = requireEditable(locked, caller);
    precondition?.(editable);
    const isUpdated = await queries.updatePetition(tx, petition, {
      version,
      changes: stored,
      fields: Object.keys(changes),
      actor: userActor(caller),
      isReviewed: false,
    });
    if (!isUpdated) throw editConflict();
  });
  evictPetitions(ctx, [petition.id]);
  return readFreshPetition(ctx, petition.id, caller);
}

/**
 * Replaces text of a petition for a moderator, in the caller's transaction. Earlier versions lose what it replaces.
 * @throws {Problem} conflict if the petition was changed meanwhile; validation-failed without a text
 */
export async function redactPetition(
  tx: Tx,
  petition: PetitionRow,
  { language, ...redaction }: RedactionInput,
  actor: Actor,
): Promise<void> {
  if (!queries.changesText(redaction))
    throw invalidValue('title', 'Send a new title or description.');
  const title = redaction.title === undefined ? undefined : trimmedTitle(redaction.title);
  const { description, reason } = redaction;
  const changes = effectiveChanges(petition, {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(language !== undefined && { language }),
  });
  const isNewText = queries.changesText(changes);
  const version = petition.version + (isNewText && petition.published_at ? 1 : 0);
  const isUpdated = await queries.updatePetition(tx, petition, {
    version,
    changes,
    fields: Object.keys(changes),
    actor,
    isReviewed: true,
  });
  if (!isUpdated) throw editConflict();
  await queries.redactVersions(tx, petition.id, version, {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    reason,
  });
}

const editConflict = () =>
  conflict('edit_conflict', 'The petition was changed meanwhile. Read it and try again.');

/**
 * Replaces the access code of a private petition.
 * @throws {Problem} conflict if the petition is not private
 */
export async function renewAccessCode(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<Petition> {
  const { id } = await requireOwnPetition(ctx, caller, ref);
  await transaction(ctx.db, async (tx) => {
    await lockOwnPetition(tx, caller, id);
    if (!(await queries.renewAccessCode(tx, id))) {
      throw conflict('invalid_state', 'Only a private petition has an access code.');
    }
  });
  evictPetitions(ctx, [id]);
  return readFreshPetition(ctx, id, caller);
}

/** Publishes a draft, or submits it for review if MODERATION is `pre`. */
export function publishPetition(ctx: Context, caller: Caller, ref: string): Promise<Petition> {
  const name = ctx.site.current.moderation === 'pre' ? 'submit' : 'publish';
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
  const petition = await requireOwnPetition(ctx, caller, ref);
  requireOpenDate(petition, name, ctx.now());
  const actor = userActor(caller);
  await transaction(ctx.db, async (tx) => {
    await lockOwnPetition(tx, caller, petition.id);
    await transitionPetition(tx, { petition, name, actor, victoryMessage });
  });
  evictPetitions(ctx, [petition.id]);
  const moved = await readFreshPetition(ctx, petition.id, caller);
  invalidateSlug(ctx, moved.slug);
  return moved;
}

export async function deletePetition(
  ctx: Context,
  caller: Caller,
  ref: string,
  precondition?: PetitionPrecondition,
): Promise<void> {
  const petition = await requireOwnPetition(ctx, caller, ref);
  await transaction(ctx.db, async (tx) => {
    const locked = await withRoles(tx, await queries.lockEditable(tx, petition.id), caller);
    const own = requireOwn(locked, caller);
    precondition?.(own);
    await removePetition(tx, petition.id, userActor(caller));
  });
  evictPetitions(ctx, [petition.id]);
}

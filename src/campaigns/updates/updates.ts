import type { Quota } from '../../platform/limits.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction, type Db, type Tx } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import { revisionOf, type Precondition } from '../../platform/http/preconditions.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { altWithoutPicture, type PictureOwner } from '../../platform/images.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { conflict, forbidden, invalidValue, notFound } from '../../platform/problems.ts';
import {
  canEdit,
  canReadPetition,
  isReadable,
  canSeePetition,
  isModerator,
  isOrganizer,
  isPublished,
  accessCodeRequired,
  organizersOnly,
} from '../petitions/policy.ts';
import {
  findPetitionState,
  lockPetitionShare,
  withRoles,
  type PetitionState,
} from '../petitions/state.ts';
import { requireReadablePetition, resolvePetitionRef } from '../petitions/read.ts';
import * as queries from './queries.ts';
import type { UpdateRow } from './queries.ts';
import type {
  RenderedUpdate,
  Update,
  UpdateChanges,
  UpdateInput,
  UpdateListQuery,
} from './schema.ts';

export { findUpdateDraft, saveUpdateDraft } from './drafts.ts';
export { keepAuthor } from './queries.ts';

/** Each update notifies all signers. */
export const updateQuota: Quota = { name: 'update', points: 100, durationSeconds: 86_400 };

interface UpdateReference {
  id: string;
  /** Access code of a private petition. */
  code?: string | undefined;
}

/**
 * Returns an update that the caller may read, and its petition.
 * @throws {Problem} not-found, or forbidden for a private petition without its access code
 */
async function readableUpdate(
  ctx: Context,
  caller: Caller | null,
  { id, code }: UpdateReference,
): Promise<{ update: UpdateRow; petition: PetitionState }> {
  const update = await queries.findUpdate(ctx.db, id);
  const petition = update && (await findPetitionState(ctx.db, update.petition_id));
  if (!petition || !canSeePetition(petition, caller)) throw updateNotFound();
  if (!(await canReadPetition(ctx, petition, caller, code))) throw accessCodeRequired();
  return { update, petition };
}

/** Returns updates as the API shows them, for event data. */
export async function findUpdates(db: Db, ids: string[]): Promise<Update[]> {
  return (await queries.findUpdates(db, ids)).map(withoutAuthor);
}

export async function getUpdate(
  ctx: Context,
  caller: Caller | null,
  reference: UpdateReference,
): Promise<RenderedUpdate> {
  return presentUpdate(ctx, (await readableUpdate(ctx, caller, reference)).update);
}

/** Returns a page of the updates of a petition, newest first. */
export async function listUpdates(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code, ...page }: UpdateListQuery,
): Promise<Page<Update>> {
  const petition = await requireReadablePetition(ctx, caller, ref, access_code);
  return pageById(
    'updates',
    page,
    (before, count) => queries.listUpdates(ctx.db, petition.id, before, count),
    withoutAuthor,
  );
}

/** Posts an update on a petition that the caller organizes. Signers are notified by its event. */
export async function postUpdate(
  ctx: Context,
  caller: Caller,
  ref: string,
  { title, body, image_url = null, image_alt }: UpdateInput,
): Promise<RenderedUpdate> {
  const alt = image_alt?.trim() || null;
  if (alt && image_url === null) throw altWithoutPicture('image_alt');
  const petitionId = await resolvePetitionRef(ctx, ref);
  if (!petitionId) throw notFound('petition');
  await ctx.limits.take(updateQuota, caller.userId, 'Too many updates in a day.');
  return transaction(ctx.db, async (tx) => {
    const petition = await withRoles(tx, await lockPetitionShare(tx, petitionId), caller);
    if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
    if (!isOrganizer(petition, caller)) throw organizersOnly();
    if (!isPublished(petition)) {
      throw conflict('invalid_state', 'Only a petition that was published takes updates.');
    }
    const fields = { title, body, image_url, image_alt: alt };
    const update = { id: newId(), petition_id: petitionId, author_id: caller.userId, ...fields };
    const row = await queries.insertUpdate(tx, update);
    await pictureChanged(tx, { to: image_url });
    await emit(tx, {
      type: 'update.created',
      petitionId,
      actor: userActor(caller),
      data: { update_id: row.id },
    });
    return presentUpdate(ctx, row);
  });
}

/** What can be changed of an update. */
type EditableUpdate = Pick<Update, 'title' | 'body' | 'image_url' | 'image_alt'>;
type UpdatePrecondition = Precondition<EditableUpdate> | undefined;

/** Returns the revision of an update: of all that can be changed. */
export const updateRevision = ({ title, body, image_url, image_alt }: EditableUpdate): string =>
  revisionOf([title, body, image_url, image_alt]);

/**
 * Locks an update, and reads its petition, which may have been handed over while the lock was waited for.
 * @throws {Problem} not-found
 */
async function lockUpdate(
  tx: Tx,
  id: string,
  caller: Caller,
): Promise<{ stored: UpdateRow; petition: PetitionState }> {
  const stored = await queries.lockUpdate(tx, id);
  const petition = stored && (await findPetitionState(tx, stored.petition_id));
  if (!petition || !canSeePetition(petition, caller)) throw updateNotFound();
  return { stored, petition };
}

/**
 * Changes an update.
 * @throws {Problem} as the precondition does; forbidden for an author who has not written it
 */
export async function changeUpdate(
  ctx: Context,
  caller: Caller,
  reference: UpdateReference,
  changes: UpdateChanges,
  precondition?: UpdatePrecondition,
): Promise<RenderedUpdate> {
  const { update } = await readableUpdate(ctx, caller, reference);
  return transaction(ctx.db, async (tx) => {
    const { stored, petition } = await lockUpdate(tx, update.id, caller);
    requireChangeable(stored, petition, caller);
    precondition?.(stored);
    const changed = await queries.changeUpdate(tx, update.id, withImageAlt(stored, changes));
    if (!changed) throw updateNotFound();
    await pictureChanged(tx, { from: stored.image_url, to: changes.image_url });
    return presentUpdate(ctx, changed);
  });
}

/** Words for a picture go with it, and another picture has its own or none. */
function withImageAlt(update: UpdateRow, changes: UpdateChanges): UpdateChanges {
  const { image_url: url = update.image_url, image_alt } = changes;
  const alt = image_alt === undefined ? undefined : image_alt?.trim() || null;
  if (url === null && alt) throw altWithoutPicture('image_alt');
  if (url !== update.image_url) return { ...changes, image_alt: alt ?? null };
  return alt === undefined ? changes : { ...changes, image_alt: alt };
}

interface UpdateDeletion {
  reason?: string | undefined;
  precondition?: UpdatePrecondition;
}

/** Deletes an update. Its author is told of an act of a moderator, with the reason. */
export async function deleteUpdate(
  ctx: Context,
  caller: Caller,
  reference: UpdateReference,
  { reason, precondition }: UpdateDeletion = {},
): Promise<void> {
  const { update } = await readableUpdate(ctx, caller, reference);
  await transaction(ctx.db, async (tx) => {
    const { stored, petition } = await lockUpdate(tx, update.id, caller);
    if (!isModerator(caller)) requireChangeable(stored, petition, caller);
    precondition?.(stored);
    await queries.deleteUpdate(tx, update.id);
    await pictureChanged(tx, { from: stored.image_url, to: null });
    if (canChange(stored, petition, caller)) return;
    const authorId = stored.author_id ?? petition.creator_id;
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'update.delete',
      targetType: 'update',
      targetId: update.id,
      details: { petition_id: petition.id },
      reason: reason === undefined ? undefined : { text: reason, about: authorId },
    });
    await recordDecision(tx, {
      act: 'delete_update',
      target: { type: 'update', id: update.id },
      petitionId: petition.id,
      userId: authorId,
      moderatorId: caller.userId,
      reason,
    });
  });
}

/** Lets organizers set an uploaded image on updates that they may change. */
export const updateImage: PictureOwner = {
  async recordFor(ctx, caller, entityId) {
    if (!entityId) return undefined;
    const update = await queries.findUpdate(ctx.db, entityId);
    const petition = update && (await findPetitionState(ctx.db, update.petition_id));
    const isVisible = petition && canSeePetition(petition, caller) && isReadable(petition, caller);
    if (!isVisible) {
      throw invalidValue('entity_id', 'There is no such update, or none that you may see.');
    }
    requireChangeable(update, petition, caller);
    return update.id;
  },
  async setImage(tx, recordId, { url, alt, userId }) {
    const before = await queries.findUpdate(tx, recordId);
    const petition = before && (await findPetitionState(tx, before.petition_id));
    if (!petition || (userId !== null && !canChange(before, petition, { userId }))) return;
    await queries.changeUpdate(tx, recordId, { image_url: url, image_alt: alt });
    await pictureChanged(tx, { from: before?.image_url, to: url });
  },
  filterShown: queries.findShownImages,
  listUrls: queries.listImages,
};

/** Nobody agreed to be named as the author of an update. */
function withoutAuthor(row: UpdateRow): Update {
  const { author_id: _, ...update } = row;
  return update;
}

const presentUpdate = (ctx: Context, row: UpdateRow): RenderedUpdate => ({
  ...withoutAuthor(row),
  body_html: renderMarkdown(row.body, ctx.config).text,
});

const updateNotFound = () => notFound('update');

/** Creator and editors change all updates of their petition, authors their own ones. */
export const canChange = (
  update: Pick<UpdateRow, 'author_id'>,
  petition: Pick<PetitionState, 'creator_id' | 'organizer_roles'>,
  caller: Pick<Caller, 'userId'>,
): boolean =>
  canEdit(petition, caller) ||
  (isOrganizer(petition, caller) && update.author_id === caller.userId);

/** @throws {Problem} forbidden unless the caller may change the update */
function requireChangeable(update: UpdateRow, petition: PetitionState, caller: Caller): void {
  if (canChange(update, petition, caller)) return;
  throw forbidden(
    'Only the creator and the editors of the petition, and who wrote the update, may do this.',
  );
}

import type { Quota } from '../../platform/limits.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import { revisionOf, type Precondition } from '../../platform/http/preconditions.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { altWithoutPicture, type PictureOwner } from '../../platform/images.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import { pictureChanged } from '../../platform/picture-copies.ts';
import { conflict, forbidden, invalidValue, notFound } from '../../platform/problems.ts';
import {
  canReadPetition,
  isReadable,
  canSeePetition,
  isCreator,
  isModerator,
  isPublished,
  accessCodeRequired,
} from '../petitions/policy.ts';
import { findPetitionState, lockPetitionShare, type PetitionState } from '../petitions/state.ts';
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

export { findUpdates } from './queries.ts';

export { findUpdateDraft, saveUpdateDraft } from './drafts.ts';

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
    (row) => row,
  );
}

/** Posts an update on the caller's own petition. Signers are notified by its event. */
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
    const petition = await lockPetitionShare(tx, petitionId);
    if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
    if (!isCreator(petition, caller)) throw creatorOnly();
    if (!isPublished(petition)) {
      throw conflict('invalid_state', 'Only a petition that was published takes updates.');
    }
    const fields = { title, body, image_url, image_alt: alt };
    const update = { id: newId(), petition_id: petitionId, ...fields };
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

/** What an editor can change of an update. */
type EditableUpdate = Pick<Update, 'title' | 'body' | 'image_url' | 'image_alt'>;
type UpdatePrecondition = Precondition<EditableUpdate> | undefined;

/** Returns the revision of an update: of all that can be changed. */
export const updateRevision = ({ title, body, image_url, image_alt }: EditableUpdate): string =>
  revisionOf([title, body, image_url, image_alt]);

/** Locks an update and judges it as it is stored. @throws {Problem} not-found; as the precondition does */
async function lockUpdate(
  tx: Tx,
  id: string,
  precondition: UpdatePrecondition,
): Promise<UpdateRow> {
  const stored = await queries.lockUpdate(tx, id);
  if (!stored) throw updateNotFound();
  precondition?.(stored);
  return stored;
}

/** Changes an update of the caller's own petition. @throws {Problem} as the precondition does */
export async function changeUpdate(
  ctx: Context,
  caller: Caller,
  reference: UpdateReference,
  changes: UpdateChanges,
  precondition?: UpdatePrecondition,
): Promise<RenderedUpdate> {
  const { update, petition } = await readableUpdate(ctx, caller, reference);
  if (!isCreator(petition, caller)) throw creatorOnly();
  return transaction(ctx.db, async (tx) => {
    const stored = await lockUpdate(tx, update.id, precondition);
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

/** Deletes an update. The creator is told of an act of a moderator, with the reason. */
export async function deleteUpdate(
  ctx: Context,
  caller: Caller,
  reference: UpdateReference,
  { reason, precondition }: UpdateDeletion = {},
): Promise<void> {
  const { update, petition } = await readableUpdate(ctx, caller, reference);
  if (!isCreator(petition, caller) && !isModerator(caller)) throw creatorOnly();
  await transaction(ctx.db, async (tx) => {
    const stored = await lockUpdate(tx, update.id, precondition);
    await queries.deleteUpdate(tx, update.id);
    await pictureChanged(tx, { from: stored.image_url, to: null });
    if (isCreator(petition, caller)) return;
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'update.delete',
      targetType: 'update',
      targetId: update.id,
      details: { petition_id: petition.id },
      reason: reason === undefined ? undefined : { text: reason, about: petition.creator_id },
    });
    await recordDecision(tx, {
      act: 'delete_update',
      target: { type: 'update', id: update.id },
      petitionId: petition.id,
      userId: petition.creator_id,
      moderatorId: caller.userId,
      reason,
    });
  });
}

/** Lets creators set an uploaded image on updates of their petitions. */
export const updateImage: PictureOwner = {
  async recordFor(ctx, caller, entityId) {
    if (!entityId) return undefined;
    const update = await queries.findUpdate(ctx.db, entityId);
    const petition = update && (await findPetitionState(ctx.db, update.petition_id));
    const isVisible = petition && canSeePetition(petition, caller) && isReadable(petition, caller);
    if (!isVisible) {
      throw invalidValue('entity_id', 'There is no such update, or none that you may see.');
    }
    if (!isCreator(petition, caller)) throw creatorOnly();
    return update.id;
  },
  async setImage(tx, recordId, url, alt) {
    const before = await queries.findUpdate(tx, recordId);
    await queries.changeUpdate(tx, recordId, { image_url: url, image_alt: alt });
    await pictureChanged(tx, { from: before?.image_url, to: url });
  },
  filterShown: queries.findShownImages,
  listUrls: queries.listImages,
};

const presentUpdate = (ctx: Context, row: UpdateRow): RenderedUpdate => ({
  ...row,
  body_html: renderMarkdown(row.body, ctx.config).text,
});

const updateNotFound = () => notFound('update');
const creatorOnly = () => forbidden('Only the creator of the petition may do this.');

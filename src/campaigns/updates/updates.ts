import { recordAct } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { ImageHolder } from '../../platform/images.ts';
import { conflict, forbidden, invalidValue, notFound } from '../../platform/problems.ts';
import {
  canReadPetition,
  canSeePetition,
  findPetitionState,
  lockPetitionShare,
  isCreator,
  isModerator,
  isPublished,
  accessCodeRequired,
  readablePetition,
  resolveRef,
  type PetitionState,
} from '../petitions/petitions.ts';
import * as queries from './queries.ts';
import type { UpdateRow } from './queries.ts';
import type { Update, UpdateChanges, UpdateInput, UpdateListQuery } from './schema.ts';

export { findUpdates } from './queries.ts';

/** What a call about one update names. */
interface Named {
  id: string;
  /** Access code of a private petition. */
  code?: string | undefined;
}

/** An update and its petition, where the caller may read it. */
async function readableUpdate(
  ctx: Context,
  caller: Caller | null,
  { id, code }: Named,
): Promise<{ update: UpdateRow; petition: PetitionState }> {
  const update = await queries.findUpdate(ctx.db, id);
  const petition = update && (await findPetitionState(ctx.db, update.petition_id));
  if (!petition || !canSeePetition(petition, caller)) throw noUpdate();
  if (!canReadPetition(ctx, petition, caller, code)) throw accessCodeRequired();
  return { update, petition };
}

export async function getUpdate(
  ctx: Context,
  caller: Caller | null,
  named: Named,
): Promise<Update> {
  return (await readableUpdate(ctx, caller, named)).update;
}

/** Updates of a petition, newest first, to whoever may read the petition. */
export async function listUpdates(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code, ...page }: UpdateListQuery,
): Promise<Page<Update>> {
  const petition = await readablePetition(ctx, caller, ref, access_code);
  return pageById(
    'updates',
    page,
    (before, count) => queries.listUpdates(ctx.db, petition.id, before, count),
    (row) => row,
  );
}

/** Posts news on the caller's own petition, which its signers are told of. */
export async function postUpdate(
  ctx: Context,
  caller: Caller,
  ref: string,
  { title, body, image_url = null }: UpdateInput,
): Promise<Update> {
  const petitionId = await resolveRef(ctx, ref);
  if (!petitionId) throw notFound('petition');
  await ctx.limits.take('update', caller.userId, 'Too many updates in a day.');
  return transaction(ctx.db, async (tx) => {
    const petition = await lockPetitionShare(tx, petitionId);
    if (!petition || !canSeePetition(petition, caller)) throw notFound('petition');
    if (!isCreator(petition, caller)) throw onlyCreator();
    if (!isPublished(petition)) {
      throw conflict('invalid_state', 'Only a petition that was published takes updates.');
    }
    const update = { id: newId(), petition_id: petitionId, title, body, image_url };
    const row = await queries.insertUpdate(tx, update);
    await emit(tx, {
      type: 'update.created',
      petitionId,
      actor: userActor(caller),
      data: { update_id: row.id },
    });
    return row;
  });
}

/** Changes an update of the caller's own petition. */
export async function changeUpdate(
  ctx: Context,
  caller: Caller,
  named: Named,
  changes: UpdateChanges,
): Promise<Update> {
  const { update, petition } = await readableUpdate(ctx, caller, named);
  if (!isCreator(petition, caller)) throw onlyCreator();
  const changed = await queries.changeUpdate(ctx.db, update.id, changes);
  if (!changed) throw noUpdate();
  return changed;
}

/** The creator's deleting, or a moderator's, which is written down. */
export async function deleteUpdate(ctx: Context, caller: Caller, named: Named): Promise<void> {
  const { update, petition } = await readableUpdate(ctx, caller, named);
  if (!isCreator(petition, caller) && !isModerator(caller)) throw onlyCreator();
  await transaction(ctx.db, async (tx) => {
    if (!(await queries.deleteUpdate(tx, update.id))) throw noUpdate();
    if (isCreator(petition, caller)) return;
    await recordAct(tx, {
      actorId: caller.userId,
      action: 'update.delete',
      targetType: 'update',
      targetId: update.id,
      details: { petition_id: petition.id },
    });
  });
}

/** An uploaded picture becomes that of an update, named by its id, of the caller's own petition. */
export const updateImage: ImageHolder = {
  async recordFor(ctx, caller, entityId) {
    if (!entityId) return undefined;
    const update = await queries.findUpdate(ctx.db, entityId);
    const petition = update && (await findPetitionState(ctx.db, update.petition_id));
    const visible =
      petition &&
      canSeePetition(petition, caller) &&
      canReadPetition(ctx, petition, caller, undefined);
    if (!visible) {
      throw invalidValue('entity_id', 'There is no such update, or none that you may see.');
    }
    if (!isCreator(petition, caller)) throw onlyCreator();
    return update.id;
  },
  async setImage(tx, recordId, url) {
    await queries.changeUpdate(tx, recordId, { image_url: url });
  },
  shown: queries.shownImages,
};

const noUpdate = () => notFound('update');
const onlyCreator = () => forbidden('Only the creator of the petition may do this.');

import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { requireOrganizedPetition } from '../petitions/read.ts';
import * as queries from './draft-queries.ts';
import type { UpdateDraft } from './draft-queries.ts';

export type { UpdateDraft } from './draft-queries.ts';

/** Returns what an organizer of a petition has typed of an update, and not posted yet. */
export async function findUpdateDraft(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<UpdateDraft | undefined> {
  const { id } = await requireOrganizedPetition(ctx, caller, ref);
  return queries.findDraft(ctx.db, { petitionId: id, userId: caller.userId });
}

/** Keeps what was typed of an update. An empty one is forgotten. */
export async function saveUpdateDraft(
  ctx: Context,
  caller: Caller,
  ref: string,
  draft: UpdateDraft,
): Promise<void> {
  const { id } = await requireOrganizedPetition(ctx, caller, ref);
  const own = { petitionId: id, userId: caller.userId };
  if (draft.title === '' && draft.body === '') await queries.deleteDraft(ctx.db, own);
  else await queries.saveDraft(ctx.db, own, draft);
}

import { recordAct } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import {
  conflict,
  forbidden,
  invalidValue,
  notFound,
  unauthorized,
} from '../../platform/problems.ts';
import {
  canReadPetition,
  canSeePetition,
  findPetitionState,
  isCreator,
  lockPetitionKeyShare,
  accessCodeRequired,
  resolveRef,
  type PetitionState,
} from '../petitions/petitions.ts';
import {
  canDelete,
  canReadBody,
  canSee,
  countsAsReply,
  isAuthor,
  takesComments,
} from './policy.ts';
import { changeHidden } from './hiding.ts';
import { readBelow } from './list-queries.ts';
import * as queries from './queries.ts';
import type { CommentRow } from './queries.ts';
import { maxReplies, type Comment, type CommentInput } from './schema.ts';
import { nestThreads, present } from './threads.ts';

export { changeHidden, hideCommentsOf, showCommentsOf } from './hiding.ts';
export { listComments } from './listing.ts';
export { canDelete, isAuthor, takesComments } from './policy.ts';
export type { CommentRow } from './queries.ts';

/** What a call about one comment names. */
interface Named {
  id: string;
  /** Access code of a private petition. */
  code?: string | undefined;
}

/**
 * A comment that the caller can see, and its petition. Authors reach their own without the code.
 * @throws {Problem} not-found, or forbidden for one on a private petition without its code
 */
export async function visibleComment(
  ctx: Context,
  caller: Caller | null,
  { id, code }: Named,
): Promise<{ comment: CommentRow; petition: PetitionState }> {
  const comment = await queries.findComment(ctx.db, id);
  if (!comment || !canSee(comment, caller)) throw noComment();
  const petition = await findPetitionState(ctx.db, comment.petition_id);
  if (!petition || !canSeePetition(petition, caller)) throw noComment();
  if (!isAuthor(comment, caller) && !canReadPetition(ctx, petition, caller, code)) {
    throw accessCodeRequired();
  }
  return { comment, petition };
}

/** A comment with all replies to it that the caller may see. */
export async function getComment(
  ctx: Context,
  caller: Caller | null,
  named: Named,
): Promise<Comment> {
  const { comment } = await visibleComment(ctx, caller, named);
  return withReplies(ctx, caller, comment);
}

async function withReplies(
  ctx: Context,
  caller: Caller | null,
  comment: CommentRow,
): Promise<Comment> {
  const rows = await readBelow(ctx.db, comment);
  return nestThreads(rows, [comment.id], caller).get(comment.id) ?? present(comment, caller);
}

interface Commenting {
  /** Slug or id of the petition. */
  ref: string;
  /** Where the petition is named, and so how it is told that there is none. */
  namedIn: 'path' | 'body';
  input: CommentInput;
  code: string | undefined;
}

/** Comments on a petition, or answers a comment on it. */
export async function addComment(
  ctx: Context,
  caller: Caller,
  { ref, namedIn, input, code }: Commenting,
): Promise<Comment> {
  const petitionId = await resolveRef(ctx, ref);
  if (!petitionId) throw noPetition[namedIn]();
  await ctx.limits.take('comment', caller.userId, 'Too many comments.');
  return transaction(ctx.db, async (tx) => {
    const petition = await lockPetitionKeyShare(tx, petitionId);
    if (!petition || !canSeePetition(petition, caller)) throw noPetition[namedIn]();
    if (!canReadPetition(ctx, petition, caller, code)) throw accessCodeRequired();
    if (!takesComments(petition)) {
      throw conflict('invalid_state', 'Only a petition that was published takes comments.');
    }
    const parent = input.parent_id && (await answerable(tx, caller, petitionId, input.parent_id));
    const row = await queries.insertComment(tx, {
      id: newId(),
      petitionId,
      userId: caller.userId,
      body: input.body,
      parent: parent || undefined,
    });
    if (!row) throw unauthorized('This account no longer exists.');
    if (parent) await queries.countReply(tx, row.root_id, 1, row.id);
    await emit(tx, {
      type: 'comment.created',
      petitionId,
      actor: userActor(caller),
      data: { comment_id: row.id, parent_id: row.parent_id },
    });
    return present(row, caller);
  });
}

const noPetition = {
  path: () => notFound('petition'),
  body: () => invalidValue('petition_id', 'There is no such petition, or none that you may see.'),
};

/** The comment to be answered, with its thread locked so that it cannot go, nor others come, meanwhile. */
async function answerable(
  tx: Tx,
  caller: Caller,
  petitionId: string,
  id: string,
): Promise<CommentRow> {
  const parent = await queries.findInLockedThread(tx, id);
  if (parent?.petition_id !== petitionId || !canReadBody(parent, caller)) {
    throw invalidValue(
      'parent_id',
      'There is no such comment on this petition that you may answer.',
    );
  }
  // The top is no reply.
  if (await queries.hasMoreThan(tx, parent.root_id, maxReplies)) {
    throw conflict(
      'thread_full',
      `A thread takes ${maxReplies} replies. Begin another with a comment of its own.`,
    );
  }
  return parent;
}

/** Changes what the caller's own comment says. */
export async function editComment(
  ctx: Context,
  caller: Caller,
  named: Named,
  body: string,
): Promise<Comment> {
  const { comment } = await visibleComment(ctx, caller, named);
  if (comment.deleted_at) throw noComment();
  if (!isAuthor(comment, caller)) throw forbidden('Only the author of a comment may change it.');
  const changed = await queries.updateBody(ctx.db, comment.id, body);
  if (!changed) throw noComment();
  return withReplies(ctx, caller, changed);
}

/** Deletes a comment; where it has replies, a place holder is left. */
export async function deleteComment(ctx: Context, caller: Caller, named: Named): Promise<void> {
  const { comment, petition } = await visibleComment(ctx, caller, named);
  if (comment.deleted_at) throw noComment();
  if (!canDelete(comment, petition, caller)) {
    throw forbidden('Only its author, the creator of the petition and moderators may delete it.');
  }
  await inLockedThread(ctx, comment, async (tx, now) => {
    if (!(await queries.emptyIfAnswered(tx, now))) await queries.removeComment(tx, now.id);
    if (countsAsReply(now)) await queries.countReply(tx, now.root_id, -1, null);
    const asModerator = !isAuthor(comment, caller) && !isCreator(petition, caller);
    if (asModerator) await recordAct(tx, actOn(now, 'comment.delete', caller));
  });
}

/** A moderator's hiding, or its undoing. What is so already is left as it is. */
export async function setHidden(
  ctx: Context,
  caller: Caller,
  id: string,
  hidden: boolean,
): Promise<Comment> {
  const { comment } = await visibleComment(ctx, caller, { id });
  if (comment.deleted_at) throw noComment();
  await transaction(ctx.db, async (tx) => {
    const changed = await changeHidden(tx, comment, hidden);
    if (changed === undefined) throw noComment();
    if (!changed) return;
    await recordAct(tx, actOn(comment, hidden ? 'comment.hide' : 'comment.unhide', caller));
  });
  return getComment(ctx, caller, { id });
}

/** Does the work on the comment as it is once its thread is locked. */
async function inLockedThread(
  ctx: Context,
  { id, petition_id }: CommentRow,
  work: (tx: Tx, now: CommentRow) => Promise<void>,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await lockPetitionKeyShare(tx, petition_id);
    const now = await queries.findInLockedThread(tx, id);
    if (!now || now.deleted_at) throw noComment();
    await work(tx, now);
  });
}

const actOn = (comment: CommentRow, action: string, caller: Caller) => ({
  actorId: caller.userId,
  action,
  targetType: 'comment',
  targetId: comment.id,
  details: { petition_id: comment.petition_id },
});

const noComment = () => notFound('comment');

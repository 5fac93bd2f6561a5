import type { Quota } from '../../platform/limits.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision } from '../../platform/decisions.ts';
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
  isCreator,
  accessCodeRequired,
} from '../petitions/policy.ts';
import { findPetitionState, lockPetitionKeyShare, type PetitionState } from '../petitions/state.ts';
import { resolvePetitionRef } from '../petitions/read.ts';
import {
  canDelete,
  canReadBody,
  canSee,
  countsAsReply,
  isAuthor,
  acceptsComments,
} from './policy.ts';
import { changeHidden } from './hiding.ts';
import { findWithReplies } from './list-queries.ts';
import * as queries from './queries.ts';
import type { CommentRow } from './queries.ts';
import { maxReplies, type Comment, type CommentInput } from './schema.ts';
import { nestThreads, present } from './threads.ts';

export { changeHidden, hideCommentsOf, showCommentsOf } from './hiding.ts';
export { listComments } from './listing.ts';
export { canDelete, isAuthor, acceptsComments } from './policy.ts';
export type { CommentRow } from './queries.ts';

/** More than people write by hand. Filling a thread to its limit takes hours. */
export const commentQuota: Quota = { name: 'comment', points: 300, durationSeconds: 3600 };

interface CommentReference {
  id: string;
  /** Access code of a private petition. */
  code?: string | undefined;
}

/**
 * Returns a comment that the caller can see, and its petition. Authors need no access code.
 * @throws {Problem} not-found, or forbidden for a private petition without its access code
 */
export async function visibleComment(
  ctx: Context,
  caller: Caller | null,
  { id, code }: CommentReference,
): Promise<{ comment: CommentRow; petition: PetitionState }> {
  const comment = await queries.findComment(ctx.db, id);
  if (!comment || !canSee(comment, caller)) throw commentNotFound();
  const petition = await findPetitionState(ctx.db, comment.petition_id);
  if (!petition || !canSeePetition(petition, caller)) throw commentNotFound();
  if (!isAuthor(comment, caller) && !(await canReadPetition(ctx, petition, caller, code))) {
    throw accessCodeRequired();
  }
  return { comment, petition };
}

/** Returns a comment with all replies that the caller may see. */
export async function getComment(
  ctx: Context,
  caller: Caller | null,
  reference: CommentReference,
): Promise<Comment> {
  const { comment } = await visibleComment(ctx, caller, reference);
  return withReplies(ctx, caller, comment);
}

async function withReplies(
  ctx: Context,
  caller: Caller | null,
  comment: CommentRow,
): Promise<Comment> {
  const rows = await findWithReplies(ctx.db, comment);
  return nestThreads(rows, [comment.id], caller).get(comment.id) ?? present(comment, caller);
}

interface NewCommentRequest {
  /** Slug or id of the petition. */
  ref: string;
  /** Which part of the request names the petition. Decides the problem for an unknown one. */
  namedIn: 'path' | 'body';
  input: CommentInput;
  code: string | undefined;
}

/** Adds a comment to a petition, or a reply to a comment. */
export async function addComment(
  ctx: Context,
  caller: Caller,
  { ref, namedIn, input, code }: NewCommentRequest,
): Promise<Comment> {
  const petitionId = await resolvePetitionRef(ctx, ref);
  if (!petitionId) throw petitionProblem[namedIn]();
  await ctx.limits.take(commentQuota, caller.userId, 'Too many comments.');
  return transaction(ctx.db, async (tx) => {
    const petition = await lockPetitionKeyShare(tx, petitionId);
    if (!petition || !canSeePetition(petition, caller)) throw petitionProblem[namedIn]();
    if (!(await canReadPetition(ctx, petition, caller, code))) throw accessCodeRequired();
    if (!acceptsComments(petition)) {
      throw conflict('invalid_state', 'Only a petition that was published takes comments.');
    }
    const parent = input.parent_id && (await lockParent(tx, caller, petitionId, input.parent_id));
    const row = await queries.insertComment(tx, {
      id: newId(),
      petitionId,
      userId: caller.userId,
      body: input.body,
      parent: parent || undefined,
    });
    if (!row) throw unauthorized('This account no longer exists.');
    if (parent) await queries.adjustReplyCount(tx, row.root_id, 1, row.id);
    await emit(tx, {
      type: 'comment.created',
      petitionId,
      actor: userActor(caller),
      data: { comment_id: row.id, parent_id: row.parent_id },
    });
    return present(row, caller);
  });
}

const petitionProblem = {
  path: () => notFound('petition'),
  body: () => invalidValue('petition_id', 'There is no such petition, or none that you may see.'),
};

/** Returns the parent of a new reply and locks its thread against deletion and other replies. */
async function lockParent(
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
  // The root comment does not count as a reply.
  if (await queries.hasMoreCommentsThan(tx, parent.root_id, maxReplies)) {
    throw conflict(
      'thread_full',
      `A thread takes ${maxReplies} replies. Begin another with a comment of its own.`,
    );
  }
  return parent;
}

/** Changes the text of the caller's own comment. */
export async function editComment(
  ctx: Context,
  caller: Caller,
  reference: CommentReference,
  body: string,
): Promise<Comment> {
  const { comment } = await visibleComment(ctx, caller, reference);
  if (comment.deleted_at) throw commentNotFound();
  if (!isAuthor(comment, caller)) throw forbidden('Only the author of a comment may change it.');
  const changed = await queries.updateBody(ctx.db, comment.id, body);
  if (!changed) throw commentNotFound();
  return withReplies(ctx, caller, changed);
}

/** Deletes a comment. Leaves a placeholder if it has replies. The author is told the reason of a moderator. */
export async function deleteComment(
  ctx: Context,
  caller: Caller,
  reference: CommentReference,
  reason?: string,
): Promise<void> {
  const { comment, petition } = await visibleComment(ctx, caller, reference);
  if (comment.deleted_at) throw commentNotFound();
  if (!canDelete(comment, petition, caller)) {
    throw forbidden('Only its author, the creator of the petition and moderators may delete it.');
  }
  await inLockedThread(ctx, comment, async (tx, current) => {
    if (!(await queries.replaceByPlaceholder(tx, current)))
      await queries.removeComment(tx, current.id);
    if (countsAsReply(current)) await queries.adjustReplyCount(tx, current.root_id, -1, null);
    const isByModerator = !isAuthor(comment, caller) && !isCreator(petition, caller);
    if (!isByModerator) return;
    await recordAdminAction(tx, {
      ...auditEntry(current, 'comment.delete', caller),
      reason: reason === undefined ? undefined : { text: reason, about: current.user_id },
    });
    await recordDecision(tx, { ...decisionOn(current, caller), act: 'delete_comment', reason });
  });
}

/** Hides or unhides a comment for a moderator, whose reason the author is told. Does nothing if it is in that state already. */
export async function setHidden(
  ctx: Context,
  caller: Caller,
  id: string,
  { hidden, reason }: { hidden: boolean; reason: string | undefined },
): Promise<Comment> {
  const { comment } = await visibleComment(ctx, caller, { id });
  if (comment.deleted_at) throw commentNotFound();
  await transaction(ctx.db, async (tx) => {
    const changed = await changeHidden(tx, comment, hidden);
    if (changed === undefined) throw commentNotFound();
    if (!changed) return;
    await recordAdminAction(tx, {
      ...auditEntry(comment, hidden ? 'comment.hide' : 'comment.unhide', caller),
      reason: reason === undefined ? undefined : { text: reason, about: comment.user_id },
    });
    await recordDecision(tx, {
      ...decisionOn(comment, caller),
      act: hidden ? 'hide_comment' : 'unhide_comment',
      reason,
    });
  });
  return getComment(ctx, caller, { id });
}

/** Locks the thread of a comment and runs the work with the current row. */
async function inLockedThread(
  ctx: Context,
  { id, petition_id }: CommentRow,
  work: (tx: Tx, current: CommentRow) => Promise<void>,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await lockPetitionKeyShare(tx, petition_id);
    const current = await queries.findInLockedThread(tx, id);
    if (!current || current.deleted_at) throw commentNotFound();
    await work(tx, current);
  });
}

const auditEntry = (comment: CommentRow, action: string, caller: Caller) => ({
  actorId: caller.userId,
  action,
  targetType: 'comment',
  targetId: comment.id,
  details: { petition_id: comment.petition_id },
});

const decisionOn = (comment: CommentRow, caller: Caller) => ({
  target: { type: 'comment', id: comment.id },
  petitionId: comment.petition_id,
  userId: comment.user_id,
  moderatorId: caller.userId,
});

const commentNotFound = () => notFound('comment');

import type { Caller } from '../../platform/http/route.ts';
import { isCreator, isModerator, isPublished } from '../petitions/petitions.ts';
import type { CommentRow } from './queries.ts';

type Authored = Pick<CommentRow, 'user_id'>;
type Judged = Authored & Pick<CommentRow, 'is_hidden' | 'deleted_at'>;

export const isAuthor = (comment: Authored, caller: Caller | null) =>
  caller !== null && comment.user_id === caller.userId;

/** Whether the caller may know that the comment exists; a deleted one's place is known to all. */
export const canSee = (comment: Judged, caller: Caller | null) =>
  !comment.is_hidden || isAuthor(comment, caller) || isModerator(caller);

/** Whether the caller may read what it says, and answer it. */
export const canReadBody = (comment: Judged, caller: Caller | null) =>
  comment.deleted_at === null && canSee(comment, caller);

export const canDelete = (
  comment: Authored,
  petition: { creator_id: string | null },
  caller: Caller,
) => isAuthor(comment, caller) || isCreator(petition, caller) || isModerator(caller);

/** Whether people may comment on the petition. */
export const takesComments = isPublished;

/** Whether everybody sees it, so that it counts as a reply. */
export const countsAsReply = (comment: CommentRow) =>
  comment.parent_id !== null && comment.deleted_at === null && !comment.is_hidden;

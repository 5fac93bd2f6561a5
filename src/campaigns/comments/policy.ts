import type { Caller } from '../../platform/http/route.ts';
import { isCreator, isModerator, isPublished } from '../petitions/policy.ts';
import type { CommentRow } from './queries.ts';

type WithAuthor = Pick<CommentRow, 'user_id'>;
type WithState = WithAuthor & Pick<CommentRow, 'is_hidden' | 'deleted_at'>;

export const isAuthor = (comment: WithAuthor, caller: Caller | null) =>
  caller !== null && comment.user_id === caller.userId;

/** Whether the caller may know that the comment exists. Placeholders of deleted ones are public. */
export const canSee = (comment: WithState, caller: Caller | null) =>
  !comment.is_hidden || isAuthor(comment, caller) || isModerator(caller);

/** Whether the caller may read the text and reply. */
export const canReadBody = (comment: WithState, caller: Caller | null) =>
  comment.deleted_at === null && canSee(comment, caller);

export const canDelete = (
  comment: WithAuthor,
  petition: { creator_id: string | null },
  caller: Caller,
) => isAuthor(comment, caller) || isCreator(petition, caller) || isModerator(caller);

/** Whether people may comment on the petition. */
export const acceptsComments = isPublished;

/** Whether the comment counts as a reply: all readers see it. */
export const countsAsReply = (comment: CommentRow) =>
  comment.parent_id !== null && comment.deleted_at === null && !comment.is_hidden;

import type { Tx } from '../../platform/db.ts';
import { lockPetitionKeyShare } from '../petitions/state.ts';
import * as queries from './hiding-queries.ts';
import { adjustReplyCount, findInLockedThread, type CommentRow } from './queries.ts';

/**
 * Hides a comment from all but its author and moderators, or unhides it. Returns false if it is in that
 * state already, and undefined if it was deleted.
 */
export async function changeHidden(
  tx: Tx,
  { id, petition_id }: Pick<CommentRow, 'id' | 'petition_id'>,
  hidden: boolean,
): Promise<boolean | undefined> {
  await lockPetitionKeyShare(tx, petition_id);
  const current = await findInLockedThread(tx, id);
  if (!current || current.deleted_at) return undefined;
  const changed = await queries.setHidden(tx, id, hidden);
  if (current.parent_id && current.is_hidden !== hidden) {
    await adjustReplyCount(tx, current.root_id, hidden ? -1 : 1, null);
  }
  return changed;
}

/** Hides all comments of a suspended author. Returns their number. */
export const hideCommentsOf = (tx: Tx, authorId: string) => changeCommentsOf(tx, authorId, true);

/** Undoes `hideCommentsOf`, except for comments that were moderated since, and those of quarantined accounts. Returns their number. */
export const showCommentsOf = (tx: Tx, authorId: string) => changeCommentsOf(tx, authorId, false);

async function changeCommentsOf(tx: Tx, authorId: string, hidden: boolean): Promise<number> {
  const rootIds = await queries.lockThreadsOf(tx, authorId);
  const changed = await queries.setHiddenWithAuthor(tx, authorId, rootIds, hidden);
  const replies = changed.filter(({ parent_id }) => parent_id !== null);
  const byRoot = Map.groupBy(replies, ({ root_id }) => root_id);
  const counts = [...byRoot].map(([id, { length }]) => ({ id, n: hidden ? -length : length }));
  await queries.adjustReplyCounts(tx, counts);
  return changed.length;
}

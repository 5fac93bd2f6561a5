import type { Tx } from '../../platform/db.ts';
import { lockPetitionKeyShare } from '../petitions/petitions.ts';
import * as queries from './hiding-queries.ts';
import { countReply, findInLockedThread, type CommentRow } from './queries.ts';

/**
 * Hides a comment from all but its author and moderators, or shows it again. False where it is so
 * already, and undefined where there is no such comment any more.
 */
export async function changeHidden(
  tx: Tx,
  { id, petition_id }: Pick<CommentRow, 'id' | 'petition_id'>,
  hidden: boolean,
): Promise<boolean | undefined> {
  await lockPetitionKeyShare(tx, petition_id);
  const now = await findInLockedThread(tx, id);
  if (!now || now.deleted_at) return undefined;
  const changed = await queries.setHidden(tx, id, hidden);
  if (now.parent_id && now.is_hidden !== hidden) {
    await countReply(tx, now.root_id, hidden ? -1 : 1, null);
  }
  return changed;
}

/** Hides all that a suspended author wrote, and remembers that this is why. Gives how many comments. */
export const hideCommentsOf = (tx: Tx, authorId: string) => changeAllOf(tx, authorId, true);

/** Shows again what `hideCommentsOf` hid, but for what a moderator judged since. */
export const showCommentsOf = (tx: Tx, authorId: string) => changeAllOf(tx, authorId, false);

async function changeAllOf(tx: Tx, authorId: string, hidden: boolean): Promise<number> {
  const rootIds = await queries.lockThreadsOf(tx, authorId);
  const changed = await queries.setHiddenWithAuthor(tx, authorId, rootIds, hidden);
  const replies = changed.filter(({ parent_id }) => parent_id !== null);
  const byRoot = Map.groupBy(replies, ({ root_id }) => root_id);
  const counts = [...byRoot].map(([id, { length }]) => ({ id, n: hidden ? -length : length }));
  await queries.countReplies(tx, counts);
  return changed.length;
}

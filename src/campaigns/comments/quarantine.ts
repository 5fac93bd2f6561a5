import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Quarantine, QuarantinedItem } from '../../platform/slice.ts';
import { lockThreadsOf } from './hiding-queries.ts';
import { hideCommentsOf, showCommentsOf } from './hiding.ts';
import { columns, removeComment, replaceByPlaceholder, type CommentRow } from './queries.ts';

/** Comments of a quarantined account are hidden as those of a suspended one are. */
export const quarantinedComments: Quarantine = {
  list: (db, userId, limit) => db<QuarantinedItem[]>`
    select 'comment' as type, c.id, c.body as text, c.created_at
    from comments c where c.user_id = ${userId} and c.hidden_with_author
    order by c.id desc limit ${limit}`,
  async hide(tx, userId) {
    await hideCommentsOf(tx, userId);
  },
  async release(tx, { from, to }) {
    await lockThreadsOf(tx, from);
    await giveRows(tx, { table: 'comments', column: 'user_id' }, { from, to });
    // Those of a quarantined account stay hidden.
    await showCommentsOf(tx, to);
  },
  async discard(tx, userId) {
    await hideCommentsOf(tx, userId);
    await lockThreadsOf(tx, userId);
    // Replies before what they answer.
    const own = await tx<CommentRow[]>`
      select ${columns(tx)} from comments c where c.user_id = ${userId} and c.deleted_at is null
      order by c.id desc`;
    for (const comment of own) {
      if (!(await replaceByPlaceholder(tx, comment))) await removeComment(tx, comment.id);
    }
  },
};

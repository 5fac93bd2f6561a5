import type { Tx } from '../../platform/db.ts';
import type { CommentRow } from './queries.ts';

/**
 * Stores a moderator's decision on one comment, which outlasts a suspension of its author. Returns false if
 * it was decided so before.
 */
export async function setHidden(tx: Tx, id: string, hidden: boolean): Promise<boolean> {
  return tx.changed`
    update comments set is_hidden = ${hidden}, hidden_with_author = false
    where id = ${id} and (is_hidden <> ${hidden} or hidden_with_author)`;
}

/**
 * Locks the threads with comments of an author, and these comments, in the order in which all transactions
 * lock: petitions first, then thread by thread, each from its root. Returns the ids of the roots.
 */
export async function lockThreadsOf(tx: Tx, authorId: string): Promise<string[]> {
  await tx`
    select from petitions where id in (select petition_id from comments where user_id = ${authorId})
    order by id for key share`;
  const rows = await tx<Pick<CommentRow, 'id' | 'root_id'>[]>`
    select id, root_id from comments
    where id in (
      select root_id from comments where user_id = ${authorId}
      union
      select id from comments where user_id = ${authorId})
    order by root_id, parent_id is not null, id
    for no key update`;
  return rows.filter(({ id, root_id }) => id === root_id).map(({ id }) => id);
}

/** Hides the author's comments in these threads, or unhides those that it has hidden before, unless the account is quarantined. */
export async function setHiddenWithAuthor(
  tx: Tx,
  authorId: string,
  rootIds: string[],
  hidden: boolean,
): Promise<Pick<CommentRow, 'root_id' | 'parent_id'>[]> {
  return tx<Pick<CommentRow, 'root_id' | 'parent_id'>[]>`
    update comments set is_hidden = ${hidden}, hidden_with_author = ${hidden}
    where user_id = ${authorId} and root_id = any(${rootIds}::uuid[]) and deleted_at is null
      and ${
        hidden
          ? tx`not is_hidden`
          : tx`hidden_with_author and not exists (
              select from quarantined_accounts q where q.user_id = ${authorId})`
      }
    returning root_id, parent_id`;
}

/** Adds to the reply counts of threads. */
export async function adjustReplyCounts(
  tx: Tx,
  counts: { id: string; n: number }[],
): Promise<void> {
  await tx`
    update comments c set reply_count = c.reply_count + counted.n
    from jsonb_to_recordset(${tx.json(counts)}) as counted (id uuid, n integer)
    where c.id = counted.id`;
}

import type { Db, Tx } from '../../platform/db.ts';

export interface CommentRow {
  id: string;
  petition_id: string;
  user_id: string | null;
  root_id: string;
  parent_id: string | null;
  body: string;
  is_hidden: boolean;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export const columns = (db: Db) => db`
  id, petition_id, user_id, root_id, parent_id, body, is_hidden, created_at, updated_at, deleted_at`;

export async function findComment(db: Db, id: string): Promise<CommentRow | undefined> {
  return db.first<CommentRow>`select ${columns(db)} from comments where id = ${id}`;
}

/**
 * Locks the thread of a comment by its root row, and returns the current comment. All transactions that
 * add, delete, hide or unhide comments take this lock.
 */
export async function findInLockedThread(tx: Tx, id: string): Promise<CommentRow | undefined> {
  await tx`
    select from comments where id = (select root_id from comments where id = ${id})
    for no key update`;
  return findComment(tx, id);
}

/** Whether a thread has more comments than `count`. */
export async function hasMoreCommentsThan(db: Db, rootId: string, count: number): Promise<boolean> {
  return db.exists`
    select from comments where root_id = ${rootId} offset ${count} limit 1`;
}

export interface NewComment {
  id: string;
  petitionId: string;
  userId: string;
  body: string;
  /** The parent, in a locked thread; undefined for a top-level comment. */
  parent: CommentRow | undefined;
}

/** Stores a comment. Returns undefined if the user was deleted. */
export async function insertComment(
  tx: Tx,
  { id, petitionId, userId, body, parent }: NewComment,
): Promise<CommentRow | undefined> {
  return tx.first<CommentRow>`
    insert into comments (id, petition_id, user_id, root_id, parent_id, body)
    select ${id}, ${petitionId}, u.id, ${parent?.root_id ?? id}, ${parent?.id ?? null}, ${body}
    from users u where u.id = ${userId} for key share
    returning ${columns(tx)}`;
}

/** Adds 1 or -1 to the reply count of a thread. `added` is the id of a new reply. */
export async function adjustReplyCount(
  tx: Tx,
  rootId: string,
  difference: 1 | -1,
  added: string | null,
): Promise<void> {
  await tx`
    update comments set reply_count = reply_count + ${difference},
      last_reply_id = greatest(last_reply_id, ${added}::uuid)
    where id = ${rootId}`;
}

/** Returns undefined if the comment was deleted. */
export async function updateBody(
  db: Db,
  id: string,
  body: string,
): Promise<CommentRow | undefined> {
  return db.first<CommentRow>`
    update comments set body = ${body}, updated_at = now()
    where id = ${id} and deleted_at is null
    returning ${columns(db)}`;
}

/** Turns a comment with replies into a placeholder. Returns false if it has none. */
export async function replaceByPlaceholder(tx: Tx, { id, root_id }: CommentRow): Promise<boolean> {
  return tx.changed`
    update comments set body = '', user_id = null, is_hidden = false, hidden_with_author = false,
      deleted_at = now(), updated_at = now()
    where id = ${id}
      and exists (select from comments where root_id = ${root_id} and parent_id = ${id})`;
}

/** Deletes a comment without replies, and the placeholders above it that have no other replies. */
export async function removeComment(tx: Tx, id: string): Promise<void> {
  await tx`
    with recursive gone as (
      select id, root_id, parent_id from comments where id = ${id}
      union all
      select above.id, above.root_id, above.parent_id
      from gone join comments above on above.id = gone.parent_id
      where above.deleted_at is not null and not exists (
        select from comments other
        where other.root_id = gone.root_id and other.parent_id = above.id and other.id <> gone.id)
    )
    delete from comments where id in (select id from gone)`;
}

export async function findCommentsOfUser(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select c.id, c.petition_id, p.title as petition_title, c.parent_id, c.body, c.is_hidden,
      c.created_at, c.updated_at, c.deleted_at
    from comments c join petitions p on p.id = c.petition_id
    where c.user_id = ${userId}
    order by c.id`;
}

/**
 * Removes the author from their comments. Locks rows in the order in which other transactions do: the root
 * of a thread first.
 */
export async function clearAuthor(tx: Tx, userId: string): Promise<void> {
  await tx`
    with own as materialized (
      select id from comments where user_id = ${userId}
      order by root_id, parent_id is not null, id
      for no key update
    )
    update comments set user_id = null where id in (select id from own)`;
}

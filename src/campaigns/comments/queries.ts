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
  const [row] = await db<CommentRow[]>`select ${columns(db)} from comments where id = ${id}`;
  return row;
}

/**
 * The comment as it is now, with its thread locked by the top row, which everybody locks who adds,
 * deletes, hides or unhides.
 */
export async function findInLockedThread(tx: Tx, id: string): Promise<CommentRow | undefined> {
  await tx`
    select from comments where id = (select root_id from comments where id = ${id})
    for no key update`;
  return findComment(tx, id);
}

/** Whether a thread has a comment besides that many. */
export async function hasMoreThan(db: Db, rootId: string, howMany: number): Promise<boolean> {
  const rows = await db`
    select from comments where root_id = ${rootId} offset ${howMany} limit 1`;
  return rows.length > 0;
}

export interface NewComment {
  id: string;
  petitionId: string;
  userId: string;
  body: string;
  /** The parent, in a locked thread; undefined for a top-level comment. */
  parent: CommentRow | undefined;
}

/** Stores a comment; undefined where the user is no more. */
export async function insertComment(
  tx: Tx,
  { id, petitionId, userId, body, parent }: NewComment,
): Promise<CommentRow | undefined> {
  const [row] = await tx<CommentRow[]>`
    insert into comments (id, petition_id, user_id, root_id, parent_id, body)
    select ${id}, ${petitionId}, u.id, ${parent?.root_id ?? id}, ${parent?.id ?? null}, ${body}
    from users u where u.id = ${userId} for key share
    returning ${columns(tx)}`;
  return row;
}

/** Counts a reply in or out of its thread. */
export async function countReply(
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

/** Changes what a comment says; undefined where it was deleted meanwhile. */
export async function updateBody(
  db: Db,
  id: string,
  body: string,
): Promise<CommentRow | undefined> {
  const [row] = await db<CommentRow[]>`
    update comments set body = ${body}, updated_at = now()
    where id = ${id} and deleted_at is null
    returning ${columns(db)}`;
  return row;
}

/** Leaves a place holder of a comment that has replies. False where it has none. */
export async function emptyIfAnswered(tx: Tx, { id, root_id }: CommentRow): Promise<boolean> {
  const result = await tx`
    update comments set body = '', user_id = null, is_hidden = false, hidden_with_author = false,
      deleted_at = now(), updated_at = now()
    where id = ${id}
      and exists (select from comments where root_id = ${root_id} and parent_id = ${id})`;
  return result.count === 1;
}

/** Removes a comment without replies, and the place holders above it that stood for nothing else. */
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

export async function commentsOf(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select c.id, c.petition_id, p.title as petition_title, c.parent_id, c.body, c.is_hidden,
      c.created_at, c.updated_at
    from comments c join petitions p on p.id = c.petition_id
    where c.user_id = ${userId}
    order by c.id`;
}

/**
 * Keeps the comments, without their author. Locked in the order in which other transactions lock:
 * the top of a thread first.
 */
export async function forgetAuthor(tx: Tx, userId: string): Promise<void> {
  await tx`
    with own as materialized (
      select id from comments where user_id = ${userId}
      order by root_id, parent_id is not null, id
      for no key update
    )
    update comments set user_id = null where id in (select id from own)`;
}

import type { CreatedRange } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { columns, type CommentRow } from './queries.ts';
import { maxReplies, type commentSorts } from './schema.ts';

/** The reader of a list. Moderators see all hidden comments, authors their own. */
export interface Viewer {
  userId: string | null;
  seesAll: boolean;
}

/** A position in a list of threads. */
export interface Place {
  id: string;
  /** Replies of the thread, and the newest reply of the petition, when the first page was read. */
  popular?: { replyCount: number; asOf: string };
}

export interface ListedRoot {
  id: string;
  reply_count: number;
  as_of: string;
  /** Number of comments in the thread, hidden and deleted ones included. */
  size: number;
}

/** Returns the ids of a page of threads, with the keys of their cursors. */
export async function listRoots(
  db: Db,
  list: {
    petitionId: string;
    viewer: Viewer;
    sort: (typeof commentSorts)[number];
    /** Of the first comment of a thread. */
    created: CreatedRange;
  },
  after: Place | null,
  limit: number,
): Promise<ListedRoot[]> {
  const { petitionId, viewer, sort, created } = list;
  const { firstId, endId, after: createdAfter, before: createdBefore } = created;
  const threads = db`from comments c where c.petition_id = ${petitionId} and c.parent_id is null
    ${createdAfter ? db`and c.id >= ${firstId!} and c.created_at > ${createdAfter}` : db``}
    ${createdBefore ? db`and c.id < ${endId!} and c.created_at < ${createdBefore}` : db``}
    ${viewer.seesAll ? db`` : db`and ${hasVisibleComment(db, viewer.userId)}`}`;
  const size = db`(
    select count(*)::integer from (
      select from comments one where one.root_id = c.id limit ${maxReplies + 1}) counted) as size`;
  if (sort === 'recent') {
    return db<ListedRoot[]>`
      select c.id, ${size} ${threads} ${after ? db`and c.id < ${after.id}` : db``}
      order by c.id desc limit ${limit}`;
  }
  if (!after?.popular) {
    return db<ListedRoot[]>`
      select c.id, c.reply_count, coalesce((
        select max.last_reply_id from comments max
        where max.petition_id = ${petitionId} and max.parent_id is null
          and max.last_reply_id is not null
        order by max.last_reply_id desc limit 1
      ), ${zeroUuid}) as as_of, ${size}
      ${threads}
      order by c.reply_count desc, c.id desc limit ${limit}`;
  }
  const { replyCount, asOf } = after.popular;
  const place = db`(${replyCount}::integer, ${after.id}::uuid)`;
  // New replies move threads up, so that later pages would skip them. All pages therefore use the order
  // of the first one: replies that are newer than it do not count. Only the 1,000 threads with the newest
  // replies are corrected, which bounds the cost of an old cursor. With 100,000 comments in 20,000 threads:
  // 4 ms without new replies, 18 ms with 21,000 in 1,000 threads (PostgreSQL 18, 2 busy cores).
  return db<ListedRoot[]>`
    with since as materialized (
      select greatest(${asOf}::uuid, (
        select last_reply_id from comments
        where petition_id = ${petitionId} and parent_id is null and last_reply_id is not null
        order by last_reply_id desc offset 1000 limit 1)) as id
    )
    select c.id, c.reply_count, ${asOf}::uuid as as_of, ${size} from (
      (select c.id, c.reply_count ${threads}
        and (c.last_reply_id is null or c.last_reply_id <= (select id from since))
        and (c.reply_count, c.id) < ${place}
        order by c.reply_count desc, c.id desc limit ${limit})
      union all
      (select c.id, c.reply_count - newer.count as reply_count
        from (select c.id, c.reply_count ${threads}
          and c.last_reply_id > (select id from since)) c
        cross join lateral (
          select count(*)::integer as count from comments
          where root_id = c.id and id > (select id from since) and parent_id is not null
            and not is_hidden and deleted_at is null) newer)
    ) c
    where (c.reply_count, c.id) < ${place}
    order by c.reply_count desc, c.id desc limit ${limit}`;
}

const zeroUuid = '00000000-0000-0000-0000-000000000000';

/** Threads in which the user (or the public, for null) sees at least one comment. */
const hasVisibleComment = (db: Db, userId: string | null) => db`(
  (not c.is_hidden and c.deleted_at is null) or c.reply_count > 0
  ${
    userId === null
      ? db``
      : db`or exists (
          select from comments own where own.root_id = c.id and own.user_id = ${userId})`
  })`;

/** Returns all comments of the threads, oldest first. */
export async function findThreads(db: Db, rootIds: string[]): Promise<CommentRow[]> {
  return db<CommentRow[]>`
    select ${columns(db)}
    from unnest(${rootIds}::uuid[]) as thread (top)
    cross join lateral (
      select * from comments where root_id = thread.top order by id limit ${maxReplies + 1}) one
    order by id`;
}

/** Returns a comment and all replies below it, oldest first. */
export async function findWithReplies(
  db: Db,
  { id, root_id }: Pick<CommentRow, 'id' | 'root_id'>,
): Promise<CommentRow[]> {
  return db<CommentRow[]>`
    with recursive below as (
      select id from comments where id = ${id}
      union all
      select reply.id from below
      join comments reply on reply.root_id = ${root_id} and reply.parent_id = below.id
    )
    select ${columns(db)} from comments
    where id in (select id from below limit ${maxReplies + 1})
    order by id`;
}

import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { isModerator, readablePetition } from '../petitions/petitions.ts';
import { listRoots, readThreads, type ListedRoot, type Place } from './list-queries.ts';
import type { Comment, CommentListQuery } from './schema.ts';
import { nestThreads } from './threads.ts';

/** A page ends before its limit where its threads would have more comments than this. */
const mostComments = 2000;

/** A page of the petition's threads, each whole. Two queries, however many comments there are. */
export async function listComments(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: CommentListQuery,
): Promise<Page<Comment>> {
  const { sort = 'recent', limit = defaultLimit } = query;
  const petition = await readablePetition(ctx, caller, ref, query.access_code);
  const viewer = { userId: caller?.userId ?? null, seesAll: isModerator(caller) };
  const list = { petitionId: petition.id, viewer, sort };
  const roots = await listRoots(ctx.db, list, placeOf(sort, query.cursor), limit + 1);
  const page = toPage(
    roots,
    howManyFit(roots, limit),
    (last) => cursorAt(sort, last),
    ({ id }) => id,
  );
  const rows = await readThreads(ctx.db, page.items);
  const comments = nestThreads(rows, page.items, caller);
  // One that was removed between the two queries is missing.
  return { ...page, items: page.items.flatMap((id) => comments.get(id) ?? []) };
}

/** How many of the threads a page shows: one at least. */
function howManyFit(roots: ListedRoot[], limit: number): number {
  let comments = 0;
  const over = roots.findIndex(({ size }, index) => {
    comments += size;
    return comments > mostComments && index > 0;
  });
  return over < 0 ? limit : Math.min(over, limit);
}

type Sort = NonNullable<CommentListQuery['sort']>;

const cursorAt = (sort: Sort, { id, reply_count, as_of }: ListedRoot) =>
  sort === 'recent'
    ? encodeCursor('comments', [id])
    : encodeCursor('popular-comments', [reply_count, id, as_of]);

function placeOf(sort: Sort, cursor: string | undefined): Place | null {
  if (sort === 'recent') {
    const keys = decodeCursor('comments', ['uuid'], cursor);
    return keys && { id: String(keys[0]) };
  }
  const keys = decodeCursor('popular-comments', ['integer', 'uuid', 'uuid'], cursor);
  return (
    keys && {
      id: String(keys[1]),
      popular: { replyCount: Number(keys[0]), asOf: String(keys[2]) },
    }
  );
}

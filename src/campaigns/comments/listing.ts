import type { Context } from '../../platform/context.ts';
import {
  createdRange,
  decodeCursor,
  encodeCursor,
  toPage,
  type Page,
} from '../../platform/cursor.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { isModerator } from '../petitions/policy.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import { listRoots, findThreads, type ListedRoot, type Place } from './list-queries.ts';
import type { Comment, CommentListQuery } from './schema.ts';
import { nestThreads } from './threads.ts';

/** A page ends before its limit if its threads had more comments than this. */
const maxComments = 1000;

/** Returns a page of the petition's threads, each complete, with two queries. */
export async function listComments(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: CommentListQuery,
): Promise<Page<Comment>> {
  const { sort = 'recent', limit = defaultLimit } = query;
  const petition = await requireReadablePetition(ctx, caller, ref, query.access_code);
  const viewer = { userId: caller?.userId ?? null, seesAll: isModerator(caller) };
  const list = { petitionId: petition.id, viewer, sort, created: createdRange(query) };
  const roots = await listRoots(ctx.db, list, decodePlace(sort, query.cursor), limit + 1);
  const page = toPage(
    roots,
    countFittingThreads(roots, limit),
    (last) => encodePlace(sort, last),
    ({ id }) => id,
  );
  const rows = await findThreads(ctx.db, page.items);
  const comments = nestThreads(rows, page.items, caller);
  // Skips threads that were deleted between the two queries.
  return { ...page, items: page.items.flatMap((id) => comments.get(id) ?? []) };
}

/** Returns how many of the threads a page contains, at least one. */
function countFittingThreads(roots: ListedRoot[], limit: number): number {
  let comments = 0;
  const excess = roots.findIndex(({ size }, index) => {
    comments += size;
    return comments > maxComments && index > 0;
  });
  return excess < 0 ? limit : Math.min(excess, limit);
}

type Sort = NonNullable<CommentListQuery['sort']>;

const encodePlace = (sort: Sort, { id, reply_count, as_of }: ListedRoot) =>
  sort === 'recent'
    ? encodeCursor('comments', [id])
    : encodeCursor('popular-comments', [reply_count, id, as_of]);

function decodePlace(sort: Sort, cursor: string | undefined): Place | null {
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

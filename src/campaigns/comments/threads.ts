import type { Caller } from '../../platform/http/route.ts';
import { canReadBody } from './policy.ts';
import type { CommentRow } from './queries.ts';
import { maxLevels, type Comment } from './schema.ts';

/**
 * Nests the rows of whole threads below the comments that are named, as the caller may see them, in a
 * few passes over the rows and without recursion, since a thread may be of any depth. What the caller
 * may not see is left out where nothing below it can be seen.
 */
export function nestThreads(
  rows: CommentRow[],
  topIds: string[],
  caller: Caller | null,
): Map<string, Comment> {
  const ordered = parentsFirst(rows, topIds);
  const shown = new Set(topIds);
  for (const row of ordered.toReversed()) {
    if (canReadBody(row, caller)) shown.add(row.id);
    if (shown.has(row.id) && row.parent_id) shown.add(row.parent_id);
  }
  const comments = new Map(
    rows.filter(({ id }) => shown.has(id)).map((row) => [row.id, present(row, caller)]),
  );
  // In the order of the rows, so that replies come oldest first wherever they stand.
  const homes = homesOf(ordered);
  for (const [id, comment] of comments) comments.get(homes.get(id) ?? '')?.replies.push(comment);
  return comments;
}

/** The comments and all below them. Ids tell no order: processes that make them have own clocks. */
function parentsFirst(rows: CommentRow[], topIds: string[]): CommentRow[] {
  const tops = new Set(topIds);
  const replies = Map.groupBy(rows, ({ parent_id }) => parent_id);
  const ordered = rows.filter(({ id }) => tops.has(id));
  // Goes on over what it adds itself.
  for (const { id } of ordered) for (const reply of replies.get(id) ?? []) ordered.push(reply);
  return ordered;
}

/** In whose `replies` each comment stands: its parent's, or at the last level its parent's home's. */
function homesOf(ordered: CommentRow[]): Map<string, string> {
  const levels = new Map<string, number>();
  const homes = new Map<string, string>();
  for (const { id, parent_id } of ordered) {
    const above = parent_id === null ? undefined : levels.get(parent_id);
    if (parent_id === null || above === undefined) {
      levels.set(id, 1);
      continue;
    }
    levels.set(id, Math.min(above + 1, maxLevels));
    homes.set(id, above < maxLevels ? parent_id : homes.get(parent_id)!);
  }
  return homes;
}

/** A comment without its replies; a place holder where the caller may not read it. */
export function present(row: CommentRow, caller: Caller | null): Comment {
  const readable = canReadBody(row, caller);
  return {
    id: row.id,
    petition_id: row.petition_id,
    user_id: readable ? row.user_id : null,
    parent_id: row.parent_id,
    body: readable ? row.body : '',
    is_hidden: row.is_hidden,
    created_at: row.created_at,
    updated_at: row.updated_at,
    replies: [],
  };
}

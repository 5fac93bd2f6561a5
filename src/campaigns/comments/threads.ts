import type { Caller } from '../../platform/http/route.ts';
import { canReadBody } from './policy.ts';
import type { CommentRow } from './queries.ts';
import { maxLevels, type Comment } from './schema.ts';

/**
 * Nests the rows of complete threads below the comments `topIds`, as the caller may see them. Works without
 * recursion, since threads have any depth. Omits invisible comments without visible replies.
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
  // Iterates in the order of the rows, so that replies are oldest first.
  const containers = containersOf(ordered);
  for (const [id, comment] of comments)
    comments.get(containers.get(id) ?? '')?.replies.push(comment);
  return comments;
}

/** Returns parents before their replies. Ids are not ordered: clocks of processes differ. */
function parentsFirst(rows: CommentRow[], topIds: string[]): CommentRow[] {
  const tops = new Set(topIds);
  const replies = Map.groupBy(rows, ({ parent_id }) => parent_id);
  const ordered = rows.filter(({ id }) => tops.has(id));
  // Also iterates over the rows that it appends.
  for (const { id } of ordered) for (const reply of replies.get(id) ?? []) ordered.push(reply);
  return ordered;
}

/** Returns by id whose `replies` contain a comment: its parent, or at the last level the parent's container. */
function containersOf(ordered: CommentRow[]): Map<string, string> {
  const levels = new Map<string, number>();
  const containers = new Map<string, string>();
  for (const { id, parent_id } of ordered) {
    const above = parent_id === null ? undefined : levels.get(parent_id);
    if (parent_id === null || above === undefined) {
      levels.set(id, 1);
      continue;
    }
    levels.set(id, Math.min(above + 1, maxLevels));
    containers.set(id, above < maxLevels ? parent_id : containers.get(parent_id)!);
  }
  return containers;
}

/** Converts a row, without replies, to a comment; to a placeholder if the caller may not read it. */
export function present(row: CommentRow, caller: Caller | null): Comment {
  const isReadable = canReadBody(row, caller);
  return {
    id: row.id,
    petition_id: row.petition_id,
    user_id: isReadable ? row.user_id : null,
    parent_id: row.parent_id,
    body: isReadable ? row.body : '',
    is_hidden: row.is_hidden,
    created_at: row.created_at,
    updated_at: row.updated_at,
    replies: [],
  };
}

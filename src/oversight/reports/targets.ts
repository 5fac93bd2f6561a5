import { visibleComment } from '../../campaigns/comments/comments.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import { requireVisibleReason } from '../../campaigns/signatures/signatures.ts';
import { findUser } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { findContent, type Target, type TargetContent } from './queries.ts';

/**
 * Returns what a target says, for a caller who can see it.
 * @throws {Problem} not-found if the caller cannot see it; forbidden without an access code that it needs
 */
export async function contentOfVisible(
  ctx: Context,
  caller: Caller | null,
  target: Target,
  code: string | undefined,
): Promise<TargetContent> {
  const petitionId = await requireVisible(ctx, caller, target, code);
  const content = await findContent(ctx.db, target, petitionId);
  if (!content) throw notFound(target.type);
  return content;
}

/** Returns the petition of a signature; null for other targets. */
async function requireVisible(
  ctx: Context,
  caller: Caller | null,
  { type, id }: Target,
  code: string | undefined,
): Promise<string | null> {
  switch (type) {
    case 'petition':
      await requireReadablePetition(ctx, caller, id, code);
      return null;
    case 'comment': {
      const { comment } = await visibleComment(ctx, caller, { id, code });
      if (comment.deleted_at) throw notFound('comment');
      return null;
    }
    case 'user':
      if (!(await findUser(ctx.db, id))) throw notFound('user');
      return null;
    default:
      return (await requireVisibleReason(ctx, caller, { id, code })).petition_id;
  }
}

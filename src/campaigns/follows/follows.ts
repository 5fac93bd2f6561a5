import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { requireReadablePetition, resolvePetitionRef } from '../petitions/read.ts';
import * as queries from './queries.ts';

interface FollowedPetition {
  /** Slug or id. */
  ref: string;
  code?: string | undefined;
}

/**
 * Reminds the caller before the petition closes, unless they sign it. Does nothing if they follow it.
 * @throws {Problem} as `requireReadablePetition`
 */
export async function followPetition(
  ctx: Context,
  caller: Caller,
  { ref, code }: FollowedPetition,
): Promise<void> {
  const { id: petitionId } = await requireReadablePetition(ctx, caller, ref, code);
  await queries.insertFollow(ctx.db, { petitionId, userId: caller.userId });
}

/**
 * Ends it, also for a petition that the caller cannot read any more. Does nothing if they do not follow it.
 * @throws {Problem} as `requireReadablePetition`, if they do not
 */
export async function unfollowPetition(
  ctx: Context,
  caller: Caller,
  { ref, code }: FollowedPetition,
): Promise<void> {
  const petitionId = await resolvePetitionRef(ctx, ref);
  const follow = petitionId && { petitionId, userId: caller.userId };
  if (follow && (await queries.deleteFollow(ctx.db, follow))) return;
  await requireReadablePetition(ctx, caller, ref, code);
}

export const isFollowing = (ctx: Context, petitionId: string, userId: string): Promise<boolean> =>
  queries.isFollowing(ctx.db, { petitionId, userId });

import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import * as queries from './queries.ts';
import type { Leaderboard, LeaderboardQuery } from './schema.ts';

const cacheGroup = 'leaderboards';
const maxEntries = 100;

/** Drops one petition's leaderboard, or all, from this process's cache. */
export const invalidateLeaderboards = (ctx: Context, petitionId?: string): void =>
  ctx.cache.drop(cacheGroup, petitionId);

/** Returns the users who share a petition most, and the rank of the caller. */
export async function readLeaderboard(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code, limit = 10 }: LeaderboardQuery,
): Promise<Leaderboard> {
  const petition = await requireReadablePetition(ctx, caller, ref, access_code);
  const { id } = petition;
  const { top, total } = await ctx.cache.read(cacheGroup, id, async () => ({
    top: await queries.findTopSharers(ctx.pools.main, id, maxEntries),
    total: (await queries.countShares(ctx.pools.main, id, {})).byUsers,
  }));
  return {
    // Whoever shares a petition has most likely signed it.
    topSharers: petition.signature_privacy === 'count_only' ? [] : top.slice(0, limit),
    totalShares: total,
    ...(caller && (await rankOf(ctx, caller, id))),
  };
}

async function rankOf(ctx: Context, { userId }: Caller, petitionId: string) {
  const count = await queries.findShareCount(ctx.db, userId, petitionId);
  const ahead = await queries.countUsersAhead(ctx.db, petitionId, count);
  return { currentUserRank: ahead + 1, currentUserShareCount: count };
}

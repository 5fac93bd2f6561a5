import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { readablePetition } from '../petitions/petitions.ts';
import * as queries from './queries.ts';
import type { Leaderboard, LeaderboardQuery } from './schema.ts';

const group = 'leaderboards';
const longest = 100;

/** Makes this process forget what it remembers of one petition's leaderboard, or of all. */
export const forgetLeaderboards = (ctx: Context, petitionId?: string): void =>
  ctx.cache.drop(group, petitionId);

/** Who shares a petition most, and where the caller stands. */
export async function readLeaderboard(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code, limit = 10 }: LeaderboardQuery,
): Promise<Leaderboard> {
  const { id } = await readablePetition(ctx, caller, ref, access_code);
  const { top, total } = await ctx.cache.read(group, id, async () => ({
    top: await queries.topSharers(ctx.pools.main, id, longest),
    total: (await queries.countDays(ctx.pools.main, id, {})).byUsers,
  }));
  return {
    topSharers: top.slice(0, limit),
    totalShares: total,
    ...(caller && (await standingOf(ctx, caller, id))),
  };
}

async function standingOf(ctx: Context, { userId }: Caller, petitionId: string) {
  const count = await queries.shareCountOf(ctx.db, userId, petitionId);
  const ahead = await queries.countAhead(ctx.db, petitionId, count);
  return { currentUserRank: ahead + 1, currentUserShareCount: count };
}

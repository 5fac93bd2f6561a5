import type { Context } from '../../platform/context.ts';
import type { Page } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { isPublished } from '../petitions/policy.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import { invalidateLeaderboards } from './leaderboard.ts';
import * as queries from './queries.ts';
import { isRef, newRef } from './refs.ts';
import type { Channel, OwnShare, ShareLink } from './schema.ts';

/** Anonymous shares have one link, so that nothing is stored about who shares. */
const anonymousShareQuota: Quota = { name: 'anonymous-share', points: 10, durationSeconds: 3600 };

interface ShareRequest {
  caller: Caller | null;
  /** Slug or id of the petition. */
  ref: string;
  /** Access code of a private petition. */
  code: string | undefined;
  channel: Channel;
  ip: string;
}

/**
 * Returns the caller's permanent link to a petition for a channel, and counts the share, once a day per user.
 * @throws {Problem} as `requireReadablePetition`; conflict if the petition is not published
 */
export async function sharePetition(
  ctx: Context,
  { caller, ref: petitionRef, code, channel, ip }: ShareRequest,
): Promise<ShareLink> {
  const petition = await requireReadablePetition(ctx, caller, petitionRef, code);
  const { id: petitionId, slug } = petition;
  if (!isPublished(petition)) {
    throw conflict('invalid_state', 'Nobody else can read this petition yet: publish it first.');
  }
  const at = ctx.now();
  const day = at.toISOString().slice(0, 10);
  const key = { petitionId, userId: caller?.userId ?? null, channel };
  const existing = await queries.findShare(ctx.db, key, day);
  if (existing && !(await shouldCount(ctx, caller, existing.shared, ip)))
    return linkTo(ctx, slug, existing.ref);
  const counted = await queries.countShare(ctx.db, { ...key, id: newId(), ref: newRef(), at, day });
  // Undefined if a concurrent request counted the same share.
  const ref = counted ?? (await queries.findShare(ctx.db, key, day))?.ref;
  if (!ref) throw notFound('petition');
  invalidateLeaderboards(ctx, petitionId);
  return linkTo(ctx, slug, ref);
}

/** Whether to count a repeated share by an existing link. */
const shouldCount = async (ctx: Context, caller: Caller | null, shared: boolean, ip: string) =>
  caller ? !shared : ctx.limits.tryTake(anonymousShareQuota, networkOf(ip));

const linkTo = ({ config }: Context, slug: string, ref: string): ShareLink => ({
  share_url: `${config.baseUrl}/p/${slug}?ref=${ref}`,
  ref,
});

/** Returns the caller's own links to a petition, with their visits and signatures. */
export async function listOwnShares(
  ctx: Context,
  caller: Caller,
  ref: string,
  code: string | undefined,
): Promise<Page<OwnShare>> {
  const { id, slug } = await requireReadablePetition(ctx, caller, ref, code);
  const shares = await queries.findSharesOfUser(ctx.db, caller.userId, id);
  return {
    items: shares.map((one) => ({ ...one, ...linkTo(ctx, slug, one.ref) })),
    nextCursor: null,
  };
}

/** Shares of a petition by channel, the most used first; for those who may read its analytics. */
export const countSharesByChannel = (
  ctx: Context,
  petitionId: string,
): Promise<{ channel: Channel; shares: number }[]> =>
  queries.countByChannel(ctx.pools.replica, petitionId);

/** Returns the id of the share that a signer's ref belongs to; null for unknown refs and the signer's own. */
export async function findShareOfRef(
  ctx: Context,
  ref: string,
  { petitionId, signerId }: { petitionId: string; signerId: string },
): Promise<string | null> {
  if (!isRef(ref)) return null;
  const found = await ctx.cache.read('shares', ref, () =>
    queries.findShareByRef(ctx.pools.main, ref),
  );
  return found?.petition_id === petitionId && found.user_id !== signerId ? found.id : null;
}

/** Returns the number of shares of a petition. `from` and `to` are days in UTC (YYYY-MM-DD), both included. */
export async function countSharesOfPetition(
  db: Db,
  petitionId: string,
  days: { from?: string; to?: string } = {},
): Promise<number> {
  const { byUsers, byOthers } = await queries.countShares(db, petitionId, days);
  return byUsers + byOthers;
}

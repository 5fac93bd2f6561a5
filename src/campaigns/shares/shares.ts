import type { Context } from '../../platform/context.ts';
import type { Page } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf } from '../../platform/limits.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { isPublished, readablePetition } from '../petitions/petitions.ts';
import { forgetLeaderboards } from './leaderboard.ts';
import * as queries from './queries.ts';
import { isRef, newRef } from './refs.ts';
import type { Channel, OwnShare, ShareLink } from './schema.ts';

interface Sharing {
  caller: Caller | null;
  /** Slug or id of the petition. */
  ref: string;
  /** Access code of a private petition. */
  code: string | undefined;
  channel: Channel;
  ip: string;
}

/**
 * Gives the caller's link to a petition for that channel, always the same one, and counts the share: a
 * user's once a day.
 */
export async function share(
  ctx: Context,
  { caller, ref: petitionRef, code, channel, ip }: Sharing,
): Promise<ShareLink> {
  const petition = await readablePetition(ctx, caller, petitionRef, code);
  const { id: petitionId, slug } = petition;
  if (!isPublished(petition)) {
    throw conflict('invalid_state', 'Nobody else can read this petition yet: publish it first.');
  }
  const at = ctx.now();
  const day = at.toISOString().slice(0, 10);
  const key = { petitionId, userId: caller?.userId ?? null, channel };
  const known = await queries.findShare(ctx.db, key, day);
  if (known && !(await counts(ctx, caller, known.shared, ip))) return linkTo(ctx, slug, known.ref);
  const counted = await queries.countShare(ctx.db, { ...key, id: newId(), ref: newRef(), at, day });
  // Or the same share was counted meanwhile.
  const ref = counted ?? (await queries.findShare(ctx.db, key, day))?.ref;
  if (!ref) throw notFound('petition');
  forgetLeaderboards(ctx, petitionId);
  return linkTo(ctx, slug, ref);
}

/** Whether one more share by a known link is counted. */
const counts = async (ctx: Context, caller: Caller | null, shared: boolean, ip: string) =>
  caller ? !shared : ctx.limits.count('anonymous-share', networkOf(ip));

const linkTo = ({ config }: Context, slug: string, ref: string): ShareLink => ({
  share_url: `${config.baseUrl}/p/${slug}?ref=${ref}`,
  ref,
});

/** The caller's own links to a petition, with what came by them. */
export async function ownShares(
  ctx: Context,
  caller: Caller,
  ref: string,
  code: string | undefined,
): Promise<Page<OwnShare>> {
  const { id, slug } = await readablePetition(ctx, caller, ref, code);
  const shares = await queries.sharesBy(ctx.db, caller.userId, id);
  return {
    items: shares.map((one) => ({ ...one, ...linkTo(ctx, slug, one.ref) })),
    nextCursor: null,
  };
}

/** The share of this petition by which somebody came who signs it; null where that is their own, or none. */
export async function shareBehind(
  ctx: Context,
  ref: string,
  { petitionId, signerId }: { petitionId: string; signerId: string },
): Promise<string | null> {
  if (!isRef(ref)) return null;
  const found = await ctx.cache.read('shares', ref, () => queries.findByRef(ctx.pools.main, ref));
  return found?.petition_id === petitionId && found.user_id !== signerId ? found.id : null;
}

/** Shares of a petition on days in UTC (YYYY-MM-DD), both included; in all its life where none are named. */
export async function sharesOf(
  db: Db,
  petitionId: string,
  days: { from?: string; to?: string } = {},
): Promise<number> {
  const { byUsers, byOthers } = await queries.countDays(db, petitionId, days);
  return byUsers + byOthers;
}

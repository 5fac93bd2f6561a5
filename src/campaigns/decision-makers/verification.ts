import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import type { VerificationInput, VerifiedMaker } from './schema.ts';
import * as queries from '../petitions/write.ts';

/** Returns a page of the decision makers of a petition, newest first, for moderators. */
export async function listMakersToVerify(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<VerifiedMaker>> {
  const { id } = await requireReadablePetition(ctx, caller, ref, undefined);
  return pageById(
    'decision-makers-to-verify',
    query,
    (before, count) => queries.listMakersToVerify(ctx.db, id, before, count),
    (row) => row,
  );
}

/** Stores that a moderator has checked who a decision maker is, or takes that back. @throws {Problem} not-found */
export async function verifyMaker(
  ctx: Context,
  caller: Caller,
  id: string,
  { verified, reason }: VerificationInput & { verified: boolean },
): Promise<VerifiedMaker> {
  const verifiedMaker = await transaction(ctx.db, async (tx) => {
    const maker = await queries.setVerified(tx, id, verified ? caller.userId : null);
    if (!maker) throw notFound('decision maker');
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: verified ? 'decision_maker.verify' : 'decision_maker.unverify',
      targetType: 'decision_maker',
      targetId: id,
      details: { petition_id: maker.petition_id },
      ...(reason !== undefined && { reason: { text: reason, about: null } }),
    });
    return maker;
  });
  evictPetitions(ctx, [verifiedMaker.petition_id]);
  return verifiedMaker;
}

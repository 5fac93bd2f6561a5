import { hideCommentsOf, showCommentsOf } from '../../campaigns/comments/comments.ts';
import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import {
  restorePetitionsOfCreator,
  putPetitionsUnderReview,
} from '../../campaigns/petitions/transition.ts';
import { findUser, setSuspended } from '../../identity/accounts/accounts.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { systemActor, type Actor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { addJob } from '../../platform/jobs.ts';
import { lockTargetUser } from './target-user.ts';
import { lockContentVisibility } from './queries.ts';
import type { SuspensionInput, UnsuspensionInput } from './schema.ts';

/** Longer than other processes accept a suspended user's token, plus the time of a request. */
const lateContentDelayMs = 5000;

/**
 * Suspends a user within a transaction. Refresh `sessions.revocations` after the commit. Returns false if
 * they were suspended already.
 * @throws {Problem} not-found, forbidden
 */
export async function suspendInTransaction(
  tx: Tx,
  sessions: Sessions,
  caller: Caller,
  userId: string,
): Promise<boolean> {
  await lockTargetUser(tx, caller, userId);
  await sessions.setSuspended(tx, userId, true);
  return setSuspended(tx, userId, true);
}

/**
 * Suspends a user until `restoreUser`: all processes reject their credentials within a second. `content`
 * says whether their content stays visible.
 */
export async function suspendUser(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  userId: string,
  { reason, content = 'keep' }: SuspensionInput,
): Promise<void> {
  const petitionIds = await transaction(ctx.db, async (tx) => {
    await lockContentVisibility(tx, userId);
    // Before the user's row is locked: publishing and commenting lock in this order.
    const hidden = content === 'hide' ? await hideContentOf(tx, userId, actorOf(caller)) : [];
    const changed = await suspendInTransaction(tx, sessions, caller, userId);
    if (content === 'hide') await addLateContentJob(tx, userId);
    if (!changed && content === 'keep') return hidden;
    await recordAdminAction(tx, {
      ...auditEntry('user.suspend', caller, userId),
      details: { content },
      reason: reason === undefined ? undefined : { text: reason, about: userId },
    });
    await recordDecision(tx, { ...decisionOn(userId, caller), act: 'suspend_user', reason });
    return hidden;
  });
  await applyAfterCommit(ctx, sessions, petitionIds);
}

/** Ends a suspension, and restores the content that it hid. */
export async function restoreUser(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  userId: string,
  { reason }: UnsuspensionInput,
): Promise<void> {
  const petitionIds = await transaction(ctx.db, async (tx) => {
    const { shown, wasSuspended } = await endSuspension(tx, sessions, caller, userId);
    if (!wasSuspended) return shown;
    await recordAdminAction(tx, {
      ...auditEntry('user.unsuspend', caller, userId),
      reason: reason === undefined ? undefined : { text: reason, about: userId },
    });
    await recordDecision(tx, { ...decisionOn(userId, caller), act: 'unsuspend_user', reason });
    return shown;
  });
  await applyAfterCommit(ctx, sessions, petitionIds);
}

/**
 * Ends a suspension within a transaction, without a record: the caller has its own. Refresh `sessions.revocations`, and
 * evict the returned petitions, after the commit.
 * @throws {Problem} not-found, forbidden
 */
export async function restoreInTransaction(
  tx: Tx,
  sessions: Sessions,
  caller: Caller,
  userId: string,
): Promise<string[]> {
  return (await endSuspension(tx, sessions, caller, userId)).shown;
}

async function endSuspension(tx: Tx, sessions: Sessions, caller: Caller, userId: string) {
  await lockContentVisibility(tx, userId);
  const shown = await restorePetitionsOfCreator(tx, userId, actorOf(caller));
  await showCommentsOf(tx, userId);
  await lockTargetUser(tx, caller, userId);
  const wasSuspended = await setSuspended(tx, userId, false);
  if (wasSuspended) await sessions.setSuspended(tx, userId, false);
  return { shown, wasSuspended };
}

/** Returns the ids of the petitions that are under review now. */
async function hideContentOf(tx: Tx, userId: string, actor: Actor): Promise<string[]> {
  const petitionIds = await putPetitionsUnderReview(tx, userId, actor);
  await hideCommentsOf(tx, userId);
  return petitionIds;
}

/**
 * Adds a job that hides content which was written during the suspension: other processes accept the user's
 * token for up to a second.
 */
async function addLateContentJob(tx: Tx, userId: string): Promise<void> {
  const user = await findUser(tx, userId);
  const payload = { user_id: userId, suspended_at: user!.suspended_at!.toISOString() };
  await addJob(tx, 'hide-late-content', payload, {
    runAt: new Date(Date.now() + lateContentDelayMs),
  });
}

/** Hides content that was written during a suspension, unless that suspension has ended. */
export async function hideLateContent(
  ctx: Context,
  job: { user_id: string; suspended_at: string },
): Promise<void> {
  const petitionIds = await transaction(ctx.db, async (tx) => {
    await lockContentVisibility(tx, job.user_id);
    const user = await findUser(tx, job.user_id);
    if (user?.suspended_at?.toISOString() !== job.suspended_at) return [];
    return hideContentOf(tx, job.user_id, systemActor);
  });
  evictPetitions(ctx, petitionIds);
}

async function applyAfterCommit(
  ctx: Context,
  sessions: Sessions,
  petitionIds: string[],
): Promise<void> {
  evictPetitions(ctx, petitionIds);
  await ctx.afterCommit(() => sessions.revocations.refresh());
}

const actorOf = (caller: Caller): Actor => ({ type: 'admin', id: caller.userId });

const decisionOn = (userId: string, caller: Caller) => ({
  target: { type: 'user', id: userId },
  petitionId: null,
  userId,
  moderatorId: caller.userId,
});

const auditEntry = (action: string, caller: Caller, userId: string) => ({
  actorId: caller.userId,
  action,
  targetType: 'user',
  targetId: userId,
});

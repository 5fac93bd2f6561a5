import { hideCommentsOf, showCommentsOf } from '../../campaigns/comments/comments.ts';
import {
  forgetPetitions,
  restorePetitionsOfCreator,
  reviewPetitionsOfCreator,
} from '../../campaigns/petitions/petitions.ts';
import { findUser, setSuspended } from '../../identity/accounts/accounts.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { recordAct } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { system, type Actor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { addJob } from '../../platform/jobs.ts';
import { judgedUser } from './judgement.ts';
import { lockContentOf } from './queries.ts';
import type { SuspensionInput } from './schema.ts';

/** Longer than another process takes a suspended user's token, and what it does for them runs. */
const lateMilliseconds = 5000;

/**
 * Suspends a user as part of a transaction; once that is committed, `sessions.standing` must be read
 * anew. False where they were suspended already.
 * @throws {Problem} not-found, or forbidden where the caller may not judge them
 */
export async function suspendWithin(
  tx: Tx,
  sessions: Sessions,
  caller: Caller,
  userId: string,
): Promise<boolean> {
  await judgedUser(tx, caller, userId);
  await sessions.setSuspended(tx, userId, true);
  return setSuspended(tx, userId, true);
}

/**
 * Suspends a user: all their credentials are refused, on every process within a second, until
 * `restoreUser`. What they wrote stays, or goes out of sight for as long.
 */
export async function suspendUser(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  userId: string,
  { reason, content = 'keep' }: SuspensionInput,
): Promise<void> {
  const petitionIds = await transaction(ctx.db, async (tx) => {
    await lockContentOf(tx, userId);
    // Before the user's row is locked: whoever publishes or comments goes this way.
    const hidden = content === 'hide' ? await hideContentOf(tx, userId, actorOf(caller)) : [];
    const changed = await suspendWithin(tx, sessions, caller, userId);
    if (content === 'hide') await addLateJob(tx, userId);
    if (!changed && content === 'keep') return hidden;
    await recordAct(tx, {
      ...actOn('user.suspend', caller, userId),
      details: { content },
      reason: reason === undefined ? undefined : { text: reason, about: userId },
    });
    return hidden;
  });
  await settle(ctx, sessions, petitionIds);
}

/** Ends a suspension, and shows again exactly what it hid. */
export async function restoreUser(
  ctx: Context,
  sessions: Sessions,
  caller: Caller,
  userId: string,
): Promise<void> {
  const petitionIds = await transaction(ctx.db, async (tx) => {
    await lockContentOf(tx, userId);
    const shown = await restorePetitionsOfCreator(tx, userId, actorOf(caller));
    await showCommentsOf(tx, userId);
    await judgedUser(tx, caller, userId);
    if (!(await setSuspended(tx, userId, false))) return shown;
    await sessions.setSuspended(tx, userId, false);
    await recordAct(tx, actOn('user.unsuspend', caller, userId));
    return shown;
  });
  await settle(ctx, sessions, petitionIds);
}

/** Gives the ids of the petitions that are under review now. */
async function hideContentOf(tx: Tx, userId: string, actor: Actor): Promise<string[]> {
  const petitionIds = await reviewPetitionsOfCreator(tx, userId, actor);
  await hideCommentsOf(tx, userId);
  return petitionIds;
}

/**
 * For up to a second other processes take a token of somebody who has just been suspended: what was
 * written meanwhile is looked for a little later.
 */
async function addLateJob(tx: Tx, userId: string): Promise<void> {
  const user = await findUser(tx, userId);
  const payload = { user_id: userId, suspended_at: user!.suspended_at!.toISOString() };
  await addJob(tx, 'hide-late-content', payload, {
    runAt: new Date(Date.now() + lateMilliseconds),
  });
}

/** Hides what was written while a suspension began, if it is still that one. */
export async function hideLateContent(
  ctx: Context,
  job: { user_id: string; suspended_at: string },
): Promise<void> {
  const petitionIds = await transaction(ctx.db, async (tx) => {
    await lockContentOf(tx, job.user_id);
    const user = await findUser(tx, job.user_id);
    if (user?.suspended_at?.toISOString() !== job.suspended_at) return [];
    return hideContentOf(tx, job.user_id, system);
  });
  forgetPetitions(ctx, petitionIds);
}

async function settle(ctx: Context, sessions: Sessions, petitionIds: string[]): Promise<void> {
  forgetPetitions(ctx, petitionIds);
  await ctx.afterCommit(() => sessions.revocations.refresh());
}

const actorOf = (caller: Caller): Actor => ({ type: 'admin', id: caller.userId });

const actOn = (action: string, caller: Caller, userId: string) => ({
  actorId: caller.userId,
  action,
  targetType: 'user',
  targetId: userId,
});

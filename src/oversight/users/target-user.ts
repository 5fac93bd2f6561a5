import type { Db, Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { requireMayModerate } from './policy.ts';
import { findTargetUsers, lockTargetUsers, type TargetUser } from './queries.ts';

/**
 * Returns a user whom the caller may suspend, restore or give a role, and locks the row.
 * @throws {Problem} not-found, forbidden
 */
export async function lockTargetUser(tx: Tx, caller: Caller, userId: string): Promise<TargetUser> {
  return requireAllowed(await lockTargetUsers(tx, [caller.userId, userId]), caller, userId);
}

/** Makes the same check without a lock, for transactions that lock other rows before users. */
export async function requireTargetUser(db: Db, caller: Caller, userId: string): Promise<void> {
  requireAllowed(await findTargetUsers(db, [caller.userId, userId]), caller, userId);
}

function requireAllowed(users: TargetUser[], caller: Caller, userId: string): TargetUser {
  const target = users.find(({ id }) => id === userId.toLowerCase());
  if (!target) throw notFound('user');
  requireMayModerate(
    users.find(({ id }) => id === caller.userId),
    target,
  );
  return target;
}

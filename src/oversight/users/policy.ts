import { accountSuspended } from '../../identity/sessions/sessions.ts';
import { forbidden, unauthorized } from '../../platform/problems.ts';
import type { TargetUser } from './queries.ts';

/**
 * Requires that `moderator` may suspend, restore or give a role to `target`. The moderator must be active and
 * another user, so that at least one active administrator is left.
 * @throws {Problem} forbidden; unauthorized if the account of the moderator was deleted
 */
export function requireMayModerate(moderator: TargetUser | undefined, target: TargetUser): void {
  if (!moderator) throw unauthorized('This account no longer exists.');
  if (moderator.suspended_at) throw accountSuspended();
  if (moderator.id === target.id) throw forbidden('Nobody may do this to their own account.');
  if (moderator.role === 'admin') return;
  if (moderator.role !== 'moderator' || target.role !== 'user') {
    throw forbidden('Moderators and administrators are judged by administrators only.');
  }
}

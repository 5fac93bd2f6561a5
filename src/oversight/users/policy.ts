import { accountSuspended } from '../../identity/sessions/sessions.ts';
import { forbidden, unauthorized } from '../../platform/problems.ts';
import type { Judged } from './queries.ts';

/**
 * Who may suspend, restore or give another role to whom. Whoever judges is there, is not suspended and is
 * somebody else, so that an administrator who can act is left after every judgement.
 * @throws {Problem} forbidden; unauthorized where the account of the one who judges is no more
 */
export function requireMayJudge(judge: Judged | undefined, person: Judged): void {
  if (!judge) throw unauthorized('This account no longer exists.');
  if (judge.suspended_at) throw accountSuspended();
  if (judge.id === person.id) throw forbidden('Nobody may do this to their own account.');
  if (judge.role === 'admin') return;
  if (judge.role !== 'moderator' || person.role !== 'user') {
    throw forbidden('Moderators and administrators are judged by administrators only.');
  }
}

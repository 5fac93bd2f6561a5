import type { Db, Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { requireMayJudge } from './policy.ts';
import { findForJudgement, lockForJudgement, type Judged } from './queries.ts';

/**
 * The user on whom the caller decides something, as they are now and locked until the transaction ends.
 * @throws {Problem} not-found, or forbidden where the caller may not
 */
export async function judgedUser(tx: Tx, caller: Caller, userId: string): Promise<Judged> {
  return judgedAmong(await lockForJudgement(tx, [caller.userId, userId]), caller, userId);
}

/** Asks the same beforehand, where other things are locked before users are. */
export async function requireJudgeable(db: Db, caller: Caller, userId: string): Promise<void> {
  judgedAmong(await findForJudgement(db, [caller.userId, userId]), caller, userId);
}

function judgedAmong(users: Judged[], caller: Caller, userId: string): Judged {
  const person = users.find(({ id }) => id === userId.toLowerCase());
  if (!person) throw notFound('user');
  requireMayJudge(
    users.find(({ id }) => id === caller.userId),
    person,
  );
  return person;
}

import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { forbidden, Problem } from '../../platform/problems.ts';
import { judgePassword, type UserRow } from '../accounts/accounts.ts';
import { isRecentSession } from '../sessions/sessions.ts';
import { challengeOver, requireAnswered, useChallenge } from './challenges.ts';

/** What proves that the owner of an account is at the keyboard. */
export interface Proof {
  password?: string | undefined;
  challenge?: string | undefined;
  code?: string | undefined;
}

interface Reauthentication {
  caller: Caller;
  user: UserRow;
  proof: Proof;
  ip: string;
}

/**
 * Proves by a password, or by a code that was mailed to the account's address, that its owner is at the keyboard. Returns
 * false if neither was sent.
 * @throws {Problem} forbidden for a wrong password or code; gone for an old challenge; rate-limited
 */
export async function proveOwner(
  ctx: Context,
  { user, proof, ip }: Omit<Reauthentication, 'caller'>,
): Promise<boolean> {
  const { password, challenge, code } = proof;
  if (password !== undefined) {
    if (await judgePassword(ctx, user, password)) return true;
    throw forbidden('The password is wrong.', 'wrong_password');
  }
  if (challenge === undefined || code === undefined) return false;
  const answered = await requireAnswered(ctx, { challenge, code }, ip).catch(forbidWrongCode);
  if (answered.email.toLowerCase() !== user.email.toLowerCase()) throw wrongCode();
  if (!(await useChallenge(ctx.db, answered.id))) throw challengeOver();
  return true;
}

/**
 * Like `proveOwner`, and also content with a sign-in of the last ten minutes.
 * @throws {Problem} forbidden `reauthentication_required` if nothing proves the owner; as `proveOwner`
 */
export async function requireOwner(ctx: Context, request: Reauthentication): Promise<void> {
  if (await proveOwner(ctx, request)) return;
  const { credential, sessionId } = request.caller;
  if (credential.kind === 'login' && (await isRecentSession(ctx, sessionId))) return;
  throw forbidden(
    'Send your password, or a code that was mailed to you, or log in again: the last time is more than 10 minutes ago.',
    'reauthentication_required',
  );
}

const wrongCode = () => forbidden('The code is wrong.', 'wrong_code');

function forbidWrongCode(error: unknown): never {
  if (error instanceof Problem && error.kind === 'validation-failed') throw wrongCode();
  throw error;
}

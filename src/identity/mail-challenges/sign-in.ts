import type { Context } from '../../platform/context.ts';
import type { Language } from '../../platform/pages/language.ts';
import { validationFailed } from '../../platform/problems.ts';
import {
  accountForVerifiedAddress,
  findUserByEmail,
  requireOpenSignup,
  setPasswordHash,
  type UserRow,
} from '../accounts/accounts.ts';
import { accountSuspended } from '../sessions/sessions.ts';
import {
  challengeOver,
  requireAnswered,
  useChallenge,
  type ChallengeAnswer,
} from './challenges.ts';

/** Ends all sessions, keys and grants of an account. Given by a slice above. */
export type EndAccess = (userId: string) => Promise<void>;

interface SignIn {
  answer: ChallengeAnswer;
  /** Makes an account for an address without one. */
  displayName: string | undefined;
  ip: string;
  language: Language;
}

export interface SignedIn {
  user: UserRow;
  /** A path of this site, which the request for the link named. */
  redirect: string | null;
}

/**
 * Returns the user of a mailbox that a link or a code proves. An address without an account gets one with that name. The
 * first proof of an address ends all credentials that its account had before.
 * @throws {Problem} as `requireAnswered`; validation-failed if a name is needed; forbidden if the account is suspended,
 *   or would be new where sign-up is closed.
 *   Then nothing is used up.
 */
export async function signInByMail(
  ctx: Context,
  { answer, displayName, ip, language }: SignIn,
  endAccess: EndAccess,
): Promise<SignedIn> {
  const challenge = await requireAnswered(ctx, answer, ip);
  const known = await findUserByEmail(ctx.db, challenge.email);
  if (known?.suspended_at) throw accountSuspended();
  const { email, registration } = challenge;
  const name = displayName?.trim() ?? registration?.display_name;
  if (!known) requireOpenSignup(ctx);
  if (!known && name === undefined) throw nameNeeded();
  if (!(await useChallenge(ctx.db, challenge.id))) throw challengeOver();
  const signer = { email, displayName: name ?? '', language };
  const { user, isNew } = await accountForVerifiedAddress(ctx, signer, endAccess);
  if (isNew && registration) await setPasswordHash(ctx.db, user.id, registration.password_hash);
  return { user, redirect: challenge.redirect };
}

const nameNeeded = () =>
  validationFailed({
    field: 'display_name',
    message: 'This address has no account. Send a name to open one.',
    code: 'required',
  });

/** What the page of a link shows before its button is pressed. */
export interface LinkedAccount {
  email: string;
  /** Undefined if the address has no account, and nobody registered it. */
  displayName: string | undefined;
}

/** Returns whom a link signs in, without using it up. @throws {Problem} as `requireAnswered` */
export async function findLinkedAccount(ctx: Context, token: string): Promise<LinkedAccount> {
  const { email, registration } = await requireAnswered(ctx, { token }, '');
  const user = await findUserByEmail(ctx.db, email);
  return { email, displayName: user?.display_name ?? registration?.display_name };
}

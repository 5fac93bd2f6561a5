import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../platform/context.ts';
import type { Language } from '../../platform/pages/language.ts';
import { validationFailed } from '../../platform/problems.ts';
import {
  findUserByEmail,
  requireOpenSignup,
  setPasswordHash,
  type UserRow,
} from '../accounts/accounts.ts';
import type { FirstProof } from '../first-proof/first-proof.ts';
import { accountSuspended } from '../sessions/sessions.ts';
import {
  challengeOver,
  isFromBrowser,
  requireAnswered,
  useChallenge,
  type ChallengeAnswer,
} from './challenges.ts';

interface SignIn {
  answer: ChallengeAnswer;
  /** Makes an account for an address without one. */
  displayName: string | undefined;
  ip: string;
  language: Language;
  headers: IncomingHttpHeaders;
  /** The browser that answers, if it is a page. */
  browserId?: string | undefined;
}

export interface SignedIn {
  user: UserRow;
  /** A path of this site, which the request for the link named. */
  redirect: string | null;
}

/**
 * Returns the user of a mailbox that a link or a code proves: see `FirstProof.accountOf`. An address without an account gets one with that
 * name, and with the password of a registration if the browser that registered answers: else somebody else may have chosen it.
 * @throws {Problem} as `requireAnswered`; validation-failed if a name is needed; forbidden if the account is suspended,
 *   or would be new where sign-up is closed.
 *   Then nothing is used up.
 */
export async function signInByMail(
  ctx: Context,
  { answer, displayName, ip, language, headers, browserId }: SignIn,
  firstProof: FirstProof,
): Promise<SignedIn> {
  const challenge = await requireAnswered(ctx, answer, ip);
  const known = await findUserByEmail(ctx.db, challenge.email);
  if (known?.suspended_at && firstProof.isOwn(ctx, headers, known)) throw accountSuspended();
  const { email, registration } = challenge;
  const name = displayName?.trim() ?? registration?.display_name;
  if (!known) requireOpenSignup(ctx);
  if (!known && name === undefined) throw nameNeeded();
  if (!(await useChallenge(ctx.db, challenge.id))) throw challengeOver();
  const prover = { email, displayName: name, language, headers };
  const { user, isNew, hasEndedAccess } = await firstProof.accountOf(ctx, prover);
  const hasChosen = registration && isFromBrowser(ctx, challenge, browserId);
  if (hasChosen && (isNew || hasEndedAccess)) {
    await setPasswordHash(ctx.db, user.id, registration.password_hash);
  }
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
  /** Undefined if there is no account that the browser may be asked to log in to. */
  displayName: string | undefined;
  /** The name of a registration that was sent from another browser, whose password is not taken. */
  foreignName: string | undefined;
}

interface Link {
  token: string;
  headers: IncomingHttpHeaders;
  browserId: string | undefined;
}

/** Returns whom a link signs in, without using it up. @throws {Problem} as `requireAnswered` */
export async function findLinkedAccount(
  ctx: Context,
  { token, headers, browserId }: Link,
  firstProof: FirstProof,
): Promise<LinkedAccount> {
  const challenge = await requireAnswered(ctx, { token }, '');
  const { email, registration } = challenge;
  const user = await findUserByEmail(ctx.db, email);
  if (user && firstProof.isOwn(ctx, headers, user)) {
    return { email, displayName: user.display_name, foreignName: undefined };
  }
  const name = registration?.display_name;
  return isFromBrowser(ctx, challenge, browserId)
    ? { email, displayName: name, foreignName: undefined }
    : { email, displayName: undefined, foreignName: name };
}

/** Ends a link that somebody else asked for. @throws {Problem} as `requireAnswered` */
export async function refuseLink(ctx: Context, token: string): Promise<void> {
  const { id } = await requireAnswered(ctx, { token }, '');
  await useChallenge(ctx.db, id);
}

import en from '../../../locales/en/mail-challenges.json' with { type: 'json' };
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { asciiAddress } from '../../platform/mail-addresses.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { fromUnprovenAct } from '../../platform/mail-stopping.ts';
import { hasBouncedSince, mailboxHash } from '../../platform/mail-suppressions.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { gone, invalidValue, rateLimited, validationFailed } from '../../platform/problems.ts';
import { countersOfAsked } from '../accounts/accounts.ts';
import * as queries from './queries.ts';
import type { ChallengeRow, Registration } from './queries.ts';
import { maxCodeAttempts, type MailChallenge } from './schema.ts';
import { browserHash, codeOf, linkToken, tokenHash } from './secrets.ts';

/** By the network that asks, which a school may share. */
const networkQuota: Quota = { name: 'mail-challenge', points: 100, durationSeconds: 3600 };
/** Codes from one network, for all mailboxes. */
const codeQuota: Quota = {
  name: 'mail-challenge-code',
  points: 100,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

interface ChallengeRequest {
  email: string;
  registration?: Registration;
  /** A path of this site. */
  redirect: string | null;
  language: Language;
  ip: string;
  /** The browser that asks, if it is a page. */
  browserId?: string | undefined;
  /** Id of the browser if the proven account of the address has signed in there before. */
  knownBrowserId?: string | undefined;
}

/**
 * Mails a link and a code to an address, whether it has an account or not. The answer and its time are the same, also
 * where too many mails went to the mailbox.
 * @throws {Problem} rate-limited for too many requests of a network
 */
export async function createChallenge(
  ctx: Context,
  request: ChallengeRequest,
): Promise<MailChallenge> {
  const { email, registration = null, redirect, language, ip } = request;
  const { browserId, knownBrowserId } = request;
  await ctx.limits.take(
    ctx.sharedNetworks.raiseQuota(networkQuota, ip),
    networkOf(ip),
    'Too many sign-in mails from this address.',
  );
  const isMailed = await ctx.limits.tryTakeEach(
    countersOfAsked(ctx, { purpose: 'sign-in', email, knownBrowserId }),
  );
  const id = newId();
  const expiresAt = await transaction(ctx.db, async (tx) => {
    const until = await queries.insertChallenge(tx, {
      id,
      email,
      registration,
      redirect,
      language,
      mailbox: mailboxHash(ctx.keys, email),
      token_hash: tokenHash(ctx, linkToken(ctx, id)),
      browser_hash: browserId === undefined ? null : browserHash(ctx, browserId),
      is_mailed: isMailed,
    });
    const isOwn = knownBrowserId !== undefined;
    await addMailJob(tx, 'send-mail-challenge', { id, is_own: isOwn });
    return until;
  });
  return { challenge: id, expires_at: expiresAt };
}

const texts = catalog('mail-challenges', en);

/** A challenge to mail. */
export interface ChallengeJob {
  id: string;
  /** Whether it was asked for in a known browser; absent from jobs of earlier versions. */
  is_own?: boolean;
}

export async function sendChallenge(
  ctx: Context,
  { id, is_own: isOwn }: ChallengeJob,
): Promise<void> {
  const challenge = await queries.findChallenge(ctx.db, id);
  if (!challenge || challenge.is_over) return;
  const values = {
    host: new URL(ctx.config.baseUrl).host,
    link: `${ctx.config.baseUrl}/login/link?token=${linkToken(ctx, id)}`,
    code: codeOf(ctx, id),
  };
  const mail = signInMail(challenge, values);
  await sendUnlessFinal(ctx, isOwn ? mail : fromUnprovenAct(ctx, mail));
}

/** Composes the mail with the link and the code by which somebody signs in. */
export const signInMail = (
  { email, language }: { email: string; language: Language },
  values: { host: string; link: string; code: string },
): Mail => ({
  kind: 'sign-in',
  cause: 'own act',
  // On the page of registration it is as it was typed.
  to: asciiAddress(email),
  language,
  subject: plainText(texts, language, 'subject', values),
  text: plainText(texts, language, 'text', values),
});

/** The token of a link, or the id of a challenge with its code. */
export interface ChallengeAnswer {
  token?: string | undefined;
  challenge?: string | undefined;
  code?: string | undefined;
}

/**
 * Returns the challenge that a link or a code answers, without using it up.
 * @throws {Problem} gone for an unknown, used, old or superseded one; validation-failed for a wrong code; rate-limited
 *   after five codes, for the right one too
 */
export async function requireAnswered(
  ctx: Context,
  { token, challenge, code }: ChallengeAnswer,
  ip: string,
): Promise<ChallengeRow> {
  if (token !== undefined) {
    const found = await queries.findByToken(ctx.db, tokenHash(ctx, token));
    if (!found || found.is_over) throw challengeOver();
    return found;
  }
  if (challenge === undefined || code === undefined) {
    const field = challenge === undefined ? 'token' : 'code';
    throw validationFailed({
      field,
      message: 'Send the token of the link, or challenge and code.',
      code: 'required',
    });
  }
  const quota = ctx.sharedNetworks.raiseQuota(codeQuota, ip);
  await ctx.limits.take(quota, networkOf(ip), 'Too many codes from this address.');
  // On its own connection: a wrong code rolls back the transaction of an idempotent request.
  const tried = await queries.countTry(ctx.pools.main, challenge);
  if (!tried || tried.is_over) throw challengeOver();
  if (tried.tries > maxCodeAttempts) {
    const seconds = (tried.expires_at.getTime() - ctx.now().getTime()) / 1000;
    throw rateLimited(Math.max(1, seconds), 'The code was tried too often. Use the link.');
  }
  if (!equalInConstantTime(code, codeOf(ctx, challenge))) {
    throw invalidValue('code', 'This is not the code in the mail.');
  }
  return tried;
}

/** Whether a browser is the one that asked for the mail. */
export const isFromBrowser = (
  ctx: Context,
  { browser_hash: hash }: Pick<ChallengeRow, 'browser_hash'>,
  browserId: string | undefined,
): boolean => browserId !== undefined && (hash?.equals(browserHash(ctx, browserId)) ?? false);

/** A challenge for the browser that asked for it. */
interface OwnChallenge extends ChallengeRow {
  /** Whether the address has bounced since. */
  hasBounced: boolean;
}

/** Returns a challenge for the browser that asked for it; undefined for all others. */
export async function findChallengeOfBrowser(
  ctx: Context,
  id: string,
  browserId: string | undefined,
): Promise<OwnChallenge | undefined> {
  const challenge = isUuid(id) ? await queries.findChallenge(ctx.db, id) : undefined;
  if (!challenge || !isFromBrowser(ctx, challenge, browserId)) return undefined;
  const { email, created_at: since } = challenge;
  const hasBounced = await hasBouncedSince(ctx.db, ctx.keys, { email, since });
  return { ...challenge, hasBounced };
}

export const challengeOver = () =>
  gone('This link or code was used already, or is too old. Ask for a new one.');

export { useChallenge, type Registration } from './queries.ts';

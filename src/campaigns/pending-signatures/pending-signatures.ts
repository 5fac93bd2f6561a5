import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { withoutLinks } from '../../platform/mail-addresses.ts';
import { mailboxKey } from '../../platform/mail-suppressions.ts';
import { plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import {
  conflict,
  gone,
  invalidValue,
  Problem,
  validationFailed,
} from '../../platform/problems.ts';
import { transaction } from '../../platform/db.ts';
import { accountForVerifiedAddress, mailQuota } from '../../identity/accounts/accounts.ts';
import { accountSuspended } from '../../identity/sessions/sessions.ts';
import { findPublishedPetition, requireReadablePetition } from '../petitions/read.ts';
import type { SignatureReceipt } from '../signatures/schema.ts';
import { signPetition, type SignatureWriter } from '../signatures/signatures.ts';
import { mailTexts } from './mail-texts.ts';
import * as queries from './queries.ts';
import type { PendingRow } from './queries.ts';
import type { ConfirmationInput, PendingSignature, PendingSignatureInput } from './schema.ts';
import { browserHash, confirmationCode, tokenHash, linkToken } from './secrets.ts';

/** By the requesting address, which a school may share. */
const requesterQuota: Quota = { name: 'signing-mail', points: 30, durationSeconds: 3600 };
/** By recipient, who may not have asked for the mails. */
const recipientQuota: Quota = {
  name: 'signing-mail-to-address',
  points: 10,
  durationSeconds: 86_400,
};

const maxCodeAttempts = 5;

interface PendingRequest {
  /** Slug or id of the petition. */
  ref: string;
  input: PendingSignatureInput;
  code: string | undefined;
  ip: string;
  /** Id of the browser that sent the form, if any. */
  browserId?: string;
}

/**
 * Stores a pending signature and sends a mail by which the signer, whose CAPTCHA was checked before, confirms it. The
 * answer does not reveal whether the address has an account.
 * @throws {Problem} as `requireReadablePetition`; conflict if the petition is not active; rate-limited
 */
export async function createPendingSignature(
  ctx: Context,
  { ref, input, code, ip, browserId }: PendingRequest,
): Promise<PendingSignature> {
  const {
    display_name,
    email,
    language = 'en',
    access_code = code,
    recaptchaToken: _,
    ...signature
  } = input;
  const petition = await requireReadablePetition(ctx, null, ref, access_code);
  requireActive(petition);
  const mailbox = mailboxKey(ctx.keys, email);
  const quota = ctx.sharedNetworks.raiseQuota(requesterQuota, ip);
  await ctx.limits.take(quota, networkOf(ip), 'Too many signatures from this address.');
  await ctx.limits.take(mailQuota, `sign:${mailbox}`, tooManyMails);
  await ctx.limits.take(recipientQuota, mailbox, tooManyMails);
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    const row = await queries.insertPending(tx, {
      id,
      petition_id: petition.id,
      email,
      display_name: display_name.trim(),
      input: signature,
      has_code: petition.visibility === 'private',
      language,
      browser_hash: browserId === undefined ? null : browserHash(ctx, browserId),
      token_hash: tokenHash(ctx, linkToken(ctx, id)),
    });
    await addMailJob(tx, 'send-signing-mail', { id });
    return { id, petition_id: petition.id, expires_at: row.expires_at };
  });
}

const tooManyMails = 'Too many mails to this address.';

/** Sends the link and the code of a signature that is not confirmed yet. */
export async function sendSigningMail(ctx: Context, id: string): Promise<void> {
  const pending = await queries.findPending(ctx.db, id);
  if (!pending || pending.signature_id) return;
  const petition = await findPublishedPetition(ctx, pending.petition_id);
  if (!petition) return;
  const values = {
    title: withoutLinks(petition.title.replaceAll(/\s+/g, ' ')),
    link: `${ctx.config.baseUrl}/p/${petition.slug}/confirm?token=${linkToken(ctx, id)}`,
    code: confirmationCode(ctx, id),
  };
  const say = (name: 'subject' | 'text') => plainText(mailTexts, pending.language, name, values);
  await sendUnlessFinal(ctx, {
    kind: 'signing',
    cause: 'own act',
    to: pending.email,
    language: pending.language,
    subject: say('subject'),
    text: say('text'),
  });
}

/** Returns the address of a pending signature, only to the browser that sent its form. */
export async function findPendingForBrowser(
  ctx: Context,
  id: string,
  browserId: string | undefined,
): Promise<{ email: string } | undefined> {
  const pending = isUuid(id) ? await queries.findPending(ctx.db, id) : undefined;
  return pending && isFromBrowser(ctx, pending, browserId) ? { email: pending.email } : undefined;
}

const isFromBrowser = (ctx: Context, { browser_hash }: PendingRow, browserId: string | undefined) =>
  browserId !== undefined && browser_hash?.equals(browserHash(ctx, browserId)) === true;

/**
 * Returns the pending signature that a link confirms.
 * @throws {Problem} gone
 */
export async function requirePendingByToken(
  ctx: Context,
  token: string,
): Promise<{ petitionId: string; displayName: string; language: Language }> {
  const pending = await queries.findPendingByToken(ctx.db, tokenHash(ctx, token));
  if (!pending) throw pendingExpired();
  const { petition_id, display_name, language } = pending;
  return { petitionId: petition_id, displayName: display_name, language };
}

interface ConfirmationRequest {
  input: ConfirmationInput;
  ip: string;
  userAgent: string | undefined;
  browserId?: string | undefined;
}

export interface Confirmed {
  receipt: SignatureReceipt;
  /**
   * Whether the browser may be logged in as the signer: it sent the form, and the account is new or the link
   * was opened. A code never logs in to an existing account, a link never to one with a role.
   */
  canLogIn: boolean;
}

/** Ends all sessions, keys and grants of an account. Given by a slice above. */
export type EndAccess = (userId: string) => Promise<void>;

/** Turns pending signatures into signatures once their address is proven. */
export class Confirmation {
  #writer: SignatureWriter;
  #endAccess: EndAccess;
  constructor(writer: SignatureWriter, endAccess: EndAccess) {
    this.#writer = writer;
    this.#endAccess = endAccess;
  }

  /**
   * Answers a repeated confirmation as before, since the first answer may have been lost, but without a
   * login: the link would log in the next user of the browser too.
   * @throws {Problem} gone for an unknown, expired or withdrawn signature, and after too many attempts;
   *   validation-failed for a wrong code; forbidden if the account is suspended; or as `sign`
   */
  async confirm(
    ctx: Context,
    { input, ip, userAgent, browserId }: ConfirmationRequest,
  ): Promise<Confirmed> {
    const pending = await provenPending(ctx, input);
    if (pending.signature_id) {
      const receipt = await queries.receiptOf(ctx.db, pending.signature_id);
      if (!receipt) throw pendingExpired();
      return { receipt, canLogIn: false };
    }
    // Checked first, so that no needless account is created.
    requireActive(await this.#petitionOf(ctx, pending));
    const { user, isNew } = await accountForVerifiedAddress(
      ctx,
      { email: pending.email, displayName: pending.display_name, language: pending.language },
      this.#endAccess,
    );
    if (user.suspended_at) throw accountSuspended();
    const receipt = await this.#sign(ctx, pending, { userId: user.id, ip, userAgent });
    const isByLink = input.token !== undefined;
    return {
      receipt,
      canLogIn:
        isFromBrowser(ctx, pending, browserId) && (isNew || (isByLink && user.role === 'user')),
    };
  }

  async #petitionOf(ctx: Context, { petition_id }: PendingRow) {
    const petition = await findPublishedPetition(ctx, petition_id);
    if (!petition) throw notActive();
    return petition;
  }

  async #sign(
    ctx: Context,
    { id, petition_id: ref, input, has_code: hasCode }: PendingRow,
    { userId, ip, userAgent }: { userId: string; ip: string; userAgent: string | undefined },
  ): Promise<SignatureReceipt> {
    try {
      const caller = callerFor(userId);
      const receipt = await signPetition(ctx, this.#writer, {
        caller,
        ref,
        input,
        hasCode,
        ip,
        userAgent,
      });
      await queries.markConfirmed(ctx.db, id, receipt.id);
      return receipt;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      // Two requests confirmed it at once, or the process died before it marked the row.
      const receipt = await queries.receiptSince(ctx.db, id, userId);
      if (receipt) {
        await queries.markConfirmed(ctx.db, id, receipt.id);
        return receipt;
      }
      // The user signed in another way before.
      await queries.deletePending(ctx.db, id);
      throw error;
    }
  }
}

const isDuplicate = (error: unknown) =>
  error instanceof Problem && error.code === 'duplicate_signature';

/** Returns the caller of the confirmed signature. */
const callerFor = (userId: string): Caller => ({
  userId,
  role: 'user',
  sessionId: userId,
  tokenId: userId,
  expiresAt: Infinity,
  credential: { kind: 'login' },
});

/** Returns the pending signature that a link or a code confirms. */
async function provenPending(
  ctx: Context,
  { token, id, code }: ConfirmationInput,
): Promise<PendingRow> {
  if (token !== undefined) {
    const pending = await queries.findPendingByToken(ctx.db, tokenHash(ctx, token));
    if (!pending) throw pendingExpired();
    return pending;
  }
  if (id === undefined || code === undefined) {
    const field = id === undefined ? 'id' : 'code';
    const message = 'Send the token of the link, or id and code.';
    throw validationFailed({ field, message, code: 'required' });
  }
  // Uses its own connection: a wrong code rolls back the transaction of an idempotent request.
  const pending = await queries.countAttempt(ctx.pools.main, id);
  if (!pending) throw pendingExpired();
  if (pending.tries > maxCodeAttempts) throw tooManyAttempts();
  if (!equalInConstantTime(code, confirmationCode(ctx, id))) {
    throw invalidValue('code', 'This is not the code in the mail.');
  }
  return pending;
}

function requireActive({ status }: { status: string }): void {
  if (status !== 'active') throw notActive();
}

const notActive = () => conflict('invalid_state', 'Only an active petition can be signed.');
const pendingExpired = () =>
  gone('This was used already, or is too old. Sign again to get a new mail.');
const tooManyAttempts = () =>
  new Problem('gone', 'The code was tried too often. Open the link in the mail instead.', {
    code: 'too_many_tries',
  });

import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { networkOf } from '../../platform/limits.ts';
import { sendUnlessRefused } from '../../platform/mail.ts';
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
import { accountOfProvenAddress } from '../../identity/accounts/accounts.ts';
import { requireCaptcha } from '../../identity/captcha/captcha.ts';
import { accountSuspended } from '../../identity/sessions/sessions.ts';
import { petitionForGuest, readablePetition } from '../petitions/petitions.ts';
import type { SignatureReceipt } from '../signatures/schema.ts';
import { sign, type SignatureWriter } from '../signatures/signatures.ts';
import { mailTexts } from './mail-texts.ts';
import * as queries from './queries.ts';
import type { PendingRow } from './queries.ts';
import type { ConfirmationInput, PendingSignature, PendingSignatureInput } from './schema.ts';
import { browserHash, codeOf, tokenHash, tokenOf } from './secrets.ts';

/** How often a code may be tried. */
const maxTries = 5;

interface Asking {
  /** Slug or id of the petition. */
  ref: string;
  input: PendingSignatureInput;
  code: string | undefined;
  /** Nothing need show that no robot is at work. */
  mayGoUnsolved?: boolean;
  ip: string;
  /** Of the browser that sent the form, where one did. */
  browserId?: string;
}

/**
 * Keeps a signature until its signer has shown that the address is theirs, and has a mail sent there. The
 * answer is the same whether the address has an account or not.
 * @throws {Problem} as reading the petition does; conflict where it is not active; rate-limited;
 *   validation-failed or unavailable as `requireProof`
 */
export async function askToConfirm(
  ctx: Context,
  { ref, input, code, mayGoUnsolved = false, ip, browserId }: Asking,
): Promise<PendingSignature> {
  const {
    display_name,
    email,
    language = 'en',
    access_code = code,
    recaptchaToken,
    ...signature
  } = input;
  if (!mayGoUnsolved) await requireCaptcha(ctx, { token: recaptchaToken, ip });
  const petition = await readablePetition(ctx, null, ref, access_code);
  requireActive(petition);
  const address = ctx.keys.hash('login', email.toLowerCase()).toString('base64url');
  await ctx.limits.take('signing-mail', networkOf(ip), 'Too many signatures from this address.');
  await ctx.limits.take('mail-to-account', `sign:${address}`, tooManyMails);
  await ctx.limits.take('signing-mail-to-address', address, tooManyMails);
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
      token_hash: tokenHash(ctx, tokenOf(ctx, id)),
    });
    await addJob(tx, 'send-signing-mail', { id });
    return { id, petition_id: petition.id, expires_at: row.expires_at };
  });
}

const tooManyMails = 'Too many mails to this address.';

/** Mails link and code of what still waits. */
export async function sendSigningMail(ctx: Context, id: string): Promise<void> {
  const pending = await queries.findPending(ctx.db, id);
  if (!pending || pending.signature_id) return;
  const petition = await petitionForGuest(ctx, pending.petition_id);
  if (!petition) return;
  const values = {
    title: petition.title.replaceAll(/\s+/g, ' '),
    link: `${ctx.config.baseUrl}/p/${petition.slug}/confirm?token=${tokenOf(ctx, id)}`,
    code: codeOf(ctx, id),
  };
  const say = (name: 'subject' | 'text') => plainText(mailTexts, pending.language, name, values);
  await sendUnlessRefused(ctx, { to: pending.email, subject: say('subject'), text: say('text') });
}

/** What may be told of a pending signature to the browser that sent its form: where the mail went. */
export async function pendingIn(
  ctx: Context,
  id: string,
  browserId: string | undefined,
): Promise<{ email: string } | undefined> {
  const pending = isUuid(id) ? await queries.findPending(ctx.db, id) : undefined;
  return pending && isFrom(ctx, pending, browserId) ? { email: pending.email } : undefined;
}

const isFrom = (ctx: Context, { browser_hash }: PendingRow, browserId: string | undefined) =>
  browserId !== undefined && browser_hash?.equals(browserHash(ctx, browserId)) === true;

/** The petition whose signature a link confirms, and in which language its signer reads. */
export async function pendingBehind(
  ctx: Context,
  token: string,
): Promise<{ petitionId: string; displayName: string; language: Language }> {
  const pending = await queries.findByToken(ctx.db, tokenHash(ctx, token));
  if (!pending) throw usedUp();
  const { petition_id, display_name, language } = pending;
  return { petitionId: petition_id, displayName: display_name, language };
}

interface Confirming {
  input: ConfirmationInput;
  ip: string;
  userAgent: string | undefined;
  browserId?: string | undefined;
}

export interface Confirmed {
  receipt: SignatureReceipt;
  /**
   * Whether the browser may be logged in as the signer: the form was sent from there, and the account is new or
   * the link was opened. Six digits open no account that was there before, nor does either one with a role.
   */
  mayLogIn: boolean;
}

/** How a slice above ends whatever access an account gave. */
export type EndAccess = (userId: string) => Promise<void>;

/** Signs for those who show that the address of a pending signature is theirs. */
export class Confirmation {
  #writer: SignatureWriter;
  #endAccess: EndAccess;
  constructor(writer: SignatureWriter, endAccess: EndAccess) {
    this.#writer = writer;
    this.#endAccess = endAccess;
  }

  /**
   * What was confirmed already is answered as before, since that answer may have been lost; but logs nobody in,
   * or the link would do so for whoever has the browser next.
   * @throws {Problem} gone for what is unknown, old or withdrawn since, and for a code that was tried too often;
   *   validation-failed for a wrong code; forbidden where the account is suspended; else as `sign`
   */
  async confirm(ctx: Context, { input, ip, userAgent, browserId }: Confirming): Promise<Confirmed> {
    const pending = await provenPending(ctx, input);
    if (pending.signature_id) {
      const receipt = await queries.receiptOf(ctx.db, pending.signature_id);
      if (!receipt) throw usedUp();
      return { receipt, mayLogIn: false };
    }
    // Before there is an account that nobody would need.
    requireActive(await this.#petitionOf(ctx, pending));
    const { user, isNew } = await accountOfProvenAddress(
      ctx,
      { email: pending.email, displayName: pending.display_name },
      this.#endAccess,
    );
    if (user.suspended_at) throw accountSuspended();
    const receipt = await this.#sign(ctx, pending, { userId: user.id, ip, userAgent });
    const byLink = input.token !== undefined;
    return {
      receipt,
      mayLogIn: isFrom(ctx, pending, browserId) && (isNew || (byLink && user.role === 'user')),
    };
  }

  async #petitionOf(ctx: Context, { petition_id }: PendingRow) {
    const petition = await petitionForGuest(ctx, petition_id);
    if (!petition) throw notActive();
    return petition;
  }

  async #sign(
    ctx: Context,
    { id, petition_id: ref, input, has_code: hasCode }: PendingRow,
    { userId, ip, userAgent }: { userId: string; ip: string; userAgent: string | undefined },
  ): Promise<SignatureReceipt> {
    try {
      const caller = signerNamed(userId);
      const signing = { caller, ref, input, hasCode, mayGoUnsolved: true, ip, userAgent };
      const receipt = await sign(ctx, this.#writer, signing);
      await queries.markConfirmed(ctx.db, id, receipt.id);
      return receipt;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      // It was pressed twice at once, or nobody was left to note that it counts.
      const receipt = await queries.receiptSince(ctx.db, id, userId);
      if (receipt) {
        await queries.markConfirmed(ctx.db, id, receipt.id);
        return receipt;
      }
      // There is nothing left to confirm.
      await queries.deletePending(ctx.db, id);
      throw error;
    }
  }
}

const isDuplicate = (error: unknown) =>
  error instanceof Problem && error.code === 'duplicate_signature';

/** For the one signature that was confirmed. */
const signerNamed = (userId: string): Caller => ({
  userId,
  role: 'user',
  sessionId: userId,
  tokenId: userId,
  expiresAt: Infinity,
  credential: { kind: 'login' },
});

/** The pending signature that a link or a code confirms. */
async function provenPending(
  ctx: Context,
  { token, id, code }: ConfirmationInput,
): Promise<PendingRow> {
  if (token !== undefined) {
    const pending = await queries.findByToken(ctx.db, tokenHash(ctx, token));
    if (!pending) throw usedUp();
    return pending;
  }
  if (id === undefined || code === undefined) {
    const field = id === undefined ? 'id' : 'code';
    const message = 'Send the token of the link, or id and code.';
    throw validationFailed({ field, message, code: 'required' });
  }
  // Apart from the transaction of an idempotent request, which a wrong code would take back.
  const pending = await queries.countTry(ctx.pools.main, id);
  if (!pending) throw usedUp();
  if (pending.tries > maxTries) throw triedTooOften();
  if (!equalInConstantTime(code, codeOf(ctx, id))) {
    throw invalidValue('code', 'This is not the code in the mail.');
  }
  return pending;
}

function requireActive({ status }: { status: string }): void {
  if (status !== 'active') throw notActive();
}

const notActive = () => conflict('invalid_state', 'Only an active petition can be signed.');
const usedUp = () => gone('This was used already, or is too old. Sign again to get a new mail.');
const triedTooOften = () =>
  new Problem('gone', 'The code was tried too often. Open the link in the mail instead.', {
    code: 'too_many_tries',
  });

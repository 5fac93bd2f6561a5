import { findUserByEmail } from '../../identity/accounts/accounts.ts';
import type { FirstProof } from '../../identity/first-proof/first-proof.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { accountSuspended } from '../../identity/sessions/sessions.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { transaction } from '../../platform/db.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import {
  conflict,
  gone,
  invalidValue,
  Problem,
  validationFailed,
} from '../../platform/problems.ts';
import { isDueToClose, type ClosingPetition } from '../petitions/closing-dates.ts';
import { findPublishedPetition } from '../petitions/read.ts';
import type { SignatureReceipt } from '../signatures/schema.ts';
import { logReceiptUrl, signPetition, type SignatureWriter } from '../signatures/signatures.ts';
import { countSigningMail } from './counts.ts';
import * as queries from './queries.ts';
import type { PendingRow, StoredReceipt } from './queries.ts';
import type { ConfirmationInput } from './schema.ts';
import { codeOf, isFromBrowser, tokenHash } from './secrets.ts';

const maxCodeAttempts = 5;
/** Codes that are tried with an address instead of an id, which only the browser of the form knows. */
const addressQuota: Quota = {
  name: 'confirmation-by-address',
  points: 30,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/** What the link in a mail is about. */
export interface LinkedSignature {
  petitionId: string;
  displayName: string;
  /** waiting: not confirmed yet. */
  state: 'waiting' | 'withdrawn' | SignatureReceipt['state'];
  /** Whether confirming is the first proof of the address of an account, and ends its credentials. */
  endsAccess: boolean;
}

interface ConfirmationRequest {
  input: ConfirmationInput;
  ip: string;
  headers: IncomingHttpHeaders;
  browserId?: string | undefined;
}

export interface Confirmed {
  receipt: SignatureReceipt;
  /**
   * Whether the browser may be logged in as the signer: it sent the form, and the account is new or the link
   * was opened. A code never logs in to an existing account, a link never to one with a role.
   */
  canLogIn: boolean;
  /** Whether it was the first proof of the address of an account, whose credentials of before have ended. */
  hasEndedAccess: boolean;
}

interface Signer {
  userId: string;
  /** Shown on the signature. */
  name: string;
  ip: string;
  userAgent: string | undefined;
}

/** Turns pending signatures into signatures once their address is proven. */
export class Confirmation {
  #writer: SignatureWriter;
  #firstProof: FirstProof;
  constructor(writer: SignatureWriter, firstProof: FirstProof) {
    this.#writer = writer;
    this.#firstProof = firstProof;
  }

  /** Returns what a link confirms; undefined if its token is unknown or older than a day. */
  async findLinked(
    ctx: Context,
    token: string,
    headers: IncomingHttpHeaders,
  ): Promise<LinkedSignature | undefined> {
    const pending = await queries.findPendingByToken(ctx.db, tokenHash(ctx, token));
    if (!pending) return undefined;
    const {
      petition_id: petitionId,
      display_name: displayName,
      signature_id: signatureId,
    } = pending;
    if (signatureId) {
      const receipt = await queries.receiptOf(ctx.db, signatureId);
      return { petitionId, displayName, state: receipt?.state ?? 'withdrawn', endsAccess: false };
    }
    const user = await findUserByEmail(ctx.db, pending.email);
    const endsAccess = user !== undefined && !this.#firstProof.isOwn(ctx, headers, user);
    return { petitionId, displayName, state: 'waiting', endsAccess };
  }

  /**
   * Answers a repeated confirmation as before, since the first answer may have been lost, but without a
   * login: the link would log in the next user of the browser too.
   * @throws {Problem} gone for an unknown, expired or withdrawn signature, and after too many attempts;
   *   validation-failed for a wrong code; forbidden if the account is suspended; or as `sign`
   */
  async confirm(
    ctx: Context,
    { input, ip, headers, browserId }: ConfirmationRequest,
  ): Promise<Confirmed> {
    const pending = await provenPending(ctx, input, ip);
    const name = input.display_name?.trim() ?? pending.display_name;
    if (pending.signature_id) {
      const receipt = await queries.receiptOf(ctx.db, pending.signature_id);
      if (!receipt) throw pendingExpired();
      return { receipt: withUrl(ctx, receipt), canLogIn: false, hasEndedAccess: false };
    }
    // Checked first, so that no needless account is created.
    requireActive(await this.#petitionOf(ctx, pending), ctx.now());
    const { user, isNew, hasEndedAccess } = await this.#firstProof.accountOf(ctx, {
      email: pending.email,
      displayName: name,
      language: pending.language,
      headers,
    });
    if (user.suspended_at) throw accountSuspended();
    const userAgent = headers['user-agent'];
    const signer = { userId: user.id, name, ip, userAgent };
    const receipt = await this.#sign(ctx, pending, signer);
    const isByLink = input.token !== undefined;
    return {
      receipt,
      hasEndedAccess,
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
    { userId, name, ip, userAgent }: Signer,
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
        signerName: name,
      });
      await this.#finish(ctx, { id, petitionId: receipt.petition_id }, receipt.id);
      return receipt;
    } catch (error) {
      // The petition was deleted in this moment; see `requireActive` for the moments before.
      if (error instanceof Problem && error.kind === 'not-found') throw notActive();
      if (!isDuplicate(error)) throw error;
      // Two requests confirmed it at once, or the process died before it marked the row.
      const receipt = await queries.receiptSince(ctx.db, id, userId);
      if (receipt) {
        await this.#finish(ctx, { id, petitionId: receipt.petition_id }, receipt.id);
        return withUrl(ctx, receipt);
      }
      // The user signed in another way before.
      await queries.deletePending(ctx.db, id);
      throw error;
    }
  }

  /** Marks the pending signature, and mails its signer the link to the signature, once. */
  async #finish(
    ctx: Context,
    { id, petitionId }: { id: string; petitionId: string },
    signatureId: string,
  ): Promise<void> {
    await transaction(ctx.db, async (tx) => {
      if (!(await queries.markConfirmed(tx, id, signatureId))) return;
      await addMailJob(tx, 'send-signature-receipt', { id: signatureId });
      await countSigningMail(tx, petitionId, 'confirmed');
    });
  }
}

const withUrl = (ctx: Context, receipt: StoredReceipt): SignatureReceipt => ({
  ...receipt,
  receipt_url: logReceiptUrl(ctx, receipt.petition_id),
});

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
  input: ConfirmationInput,
  ip: string,
): Promise<PendingRow> {
  const { token, code } = input;
  if (token !== undefined) {
    const pending = await queries.findPendingByToken(ctx.db, tokenHash(ctx, token));
    if (!pending) throw pendingExpired();
    return pending;
  }
  if (code === undefined) {
    const message = 'Send the token of the link, or the code.';
    throw validationFailed({ field: 'code', message, code: 'required' });
  }
  const tried = await countAttempts(ctx, input, ip);
  const left = tried.filter(({ tries }) => tries <= maxCodeAttempts);
  if (tried.length > 0 && left.length === 0) throw tooManyAttempts();
  const proven = left.find(({ id }) => equalInConstantTime(code, codeOf(ctx, id)));
  if (!proven) throw invalidValue('code', 'This is not the code in the mail.');
  return proven;
}

/**
 * Counts an attempt for the pending signatures that the code may be of, before it is compared. Uses its own connection: a
 * wrong code rolls back the transaction of an idempotent request. By an address, an unknown one is answered as a wrong code.
 */
async function countAttempts(
  ctx: Context,
  { id, petition: ref, email }: ConfirmationInput,
  ip: string,
): Promise<PendingRow[]> {
  const { main } = ctx.pools;
  if (id !== undefined) {
    const pending = await queries.countAttempt(main, id);
    if (!pending) throw pendingExpired();
    return [pending];
  }
  if (ref === undefined || email === undefined) {
    const message = 'Send the id of the pending signature, or petition and email.';
    throw validationFailed({ field: 'id', message, code: 'required' });
  }
  const quota = ctx.sharedNetworks.raiseQuota(addressQuota, ip);
  await ctx.limits.take(quota, networkOf(ip), 'Too many codes from this address.');
  const petition = await findPublishedPetition(ctx, ref);
  return petition ? queries.countAttemptsOf(main, { petitionId: petition.id, email }) : [];
}

/** @throws {Problem} conflict if the petition is not active, or its closing date has passed */
export function requireActive(petition: ClosingPetition, now: Date): void {
  if (petition.status !== 'active' || isDueToClose(petition, now)) throw notActive();
}

const notActive = () => conflict('invalid_state', 'Only an active petition can be signed.');
const pendingExpired = () =>
  gone('This was used already, or is too old. Sign again to get a new mail.');
const tooManyAttempts = () =>
  new Problem('gone', 'The code was tried too often. Open the link in the mail instead.', {
    code: 'too_many_tries',
  });

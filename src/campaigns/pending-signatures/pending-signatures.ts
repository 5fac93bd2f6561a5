import type { Context } from '../../platform/context.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { fromUnprovenAct } from '../../platform/mail-stopping.ts';
import { sendUnlessFinal } from '../../platform/mail.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import {
  hasBouncedSince,
  mailboxKey,
  strangersMailQuota,
} from '../../platform/mail-suppressions.ts';
import { mailPicture } from '../media/media.ts';
import { transaction } from '../../platform/db.ts';
import { mailQuota } from '../../identity/accounts/accounts.ts';
import { findPublishedPetition, requireReadablePetition } from '../petitions/read.ts';
import type { ShownTerms } from '../signatures/schema.ts';
import { requireActive } from './confirming.ts';
import { countSigningMail } from './counts.ts';
import { signingMail } from './mail-texts.ts';
import * as queries from './queries.ts';
import type { PendingRow } from './queries.ts';
import type { PendingSignature, PendingSignatureInput } from './schema.ts';
import { browserHash, codeOf, isFromBrowser, tokenHash, linkToken } from './secrets.ts';

export { readSigningMailCounts, type SigningMailCounts } from './counts.ts';
export { reminderMail, signingMail } from './mail-texts.ts';
export { Confirmation, type LinkedSignature } from './confirming.ts';

/** By the requesting address, which a school may share. */
const requesterQuota: Quota = { name: 'signing-mail', points: 30, durationSeconds: 3600 };
/** By recipient, who may not have asked for the mails. */
const recipientQuota: Quota = {
  name: 'signing-mail-to-address',
  points: 10,
  durationSeconds: 86_400,
};

interface PendingRequest {
  /** Slug or id of the petition. */
  ref: string;
  input: PendingSignatureInput;
  /** What the form showed; undefined by API. */
  terms?: ShownTerms;
  code: string | undefined;
  ip: string;
  /** Id of the browser that sent the form, if any. */
  browserId?: string;
  /** Whether the proven account of the address has signed in in that browser before. */
  isKnownBrowser?: boolean;
}

/**
 * Stores a pending signature and sends a mail by which the signer, whose CAPTCHA was checked before, confirms it. The
 * answer does not reveal whether the address has an account.
 * @throws {Problem} as `requireReadablePetition`; conflict if the petition is not active; rate-limited
 */
export async function createPendingSignature(
  ctx: Context,
  { ref, input, terms, code, ip, browserId, isKnownBrowser = false }: PendingRequest,
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
  requireActive(petition, ctx.now());
  const mailbox = mailboxKey(ctx.keys, email);
  const quota = ctx.sharedNetworks.raiseQuota(requesterQuota, ip);
  await ctx.limits.take(quota, networkOf(ip), 'Too many signatures from this address.');
  await ctx.limits.take(mailQuota, `sign:${mailbox}`, tooManyMails);
  await ctx.limits.take(recipientQuota, mailbox, tooManyMails);
  await ctx.limits.take(strangersMailQuota, mailbox, tooManyMails);
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    const row = await queries.insertPending(tx, {
      id,
      petition_id: petition.id,
      email,
      display_name: display_name.trim(),
      input: { ...signature, ...terms },
      has_code: petition.visibility === 'private',
      language,
      browser_hash: browserId === undefined ? null : browserHash(ctx, browserId),
      token_hash: tokenHash(ctx, linkToken(ctx, id)),
    });
    await addMailJob(tx, 'send-signing-mail', { id, is_own: isKnownBrowser });
    await countSigningMail(tx, petition.id, 'asked');
    return { id, petition_id: petition.id, expires_at: row.expires_at };
  });
}

const tooManyMails = 'Too many mails to this address.';

/** A signature whose mail is due. */
export interface SigningMailJob {
  id: string;
  /** Whether it was signed in a known browser; absent from jobs of earlier versions. */
  is_own?: boolean;
}

/** Sends the link and the code of a signature that is not confirmed yet. */
export async function sendSigningMail(
  ctx: Context,
  { id, is_own: isOwn }: SigningMailJob,
): Promise<void> {
  const pending = await queries.findPending(ctx.db, id);
  if (!pending || pending.signature_id) return;
  const petition = await findPublishedPetition(ctx, pending.petition_id);
  if (!petition) return;
  const mail = signingMail(pending, {
    title: petition.title,
    titleLanguage: petition.language,
    link: `${ctx.config.baseUrl}/p/${petition.slug}/confirm?token=${linkToken(ctx, id)}`,
    code: codeOf(ctx, id),
  });
  const picture = await mailPicture(ctx, petition.image_url, petition.image_alt);
  const asked = isOwn ? mail : fromUnprovenAct(ctx, mail);
  if (!(await sendUnlessFinal(ctx, { ...asked, picture }))) return;
  await transaction(ctx.db, async (tx) => {
    if (await queries.markMailed(tx, id)) {
      await countSigningMail(tx, pending.petition_id, 'mailed');
    }
  });
}

/** What became of a pending signature. */
export interface AwaitedSignature {
  email: string;
  isConfirmed: boolean;
  /** Whether the address has bounced since the form was sent. */
  hasBounced: boolean;
  /** What was typed. */
  displayName: string;
  input: PendingRow['input'];
}

/** Returns what became of a pending signature, only to the browser that sent its form. */
export async function findPendingForBrowser(
  ctx: Context,
  id: string,
  browserId: string | undefined,
): Promise<AwaitedSignature | undefined> {
  const pending = isUuid(id) ? await queries.findPending(ctx.db, id) : undefined;
  if (!pending || !isFromBrowser(ctx, pending, browserId)) return undefined;
  const { email, created_at: since, display_name: displayName, input } = pending;
  return {
    email,
    isConfirmed: pending.signature_id !== null,
    hasBounced: await hasBouncedSince(ctx.db, ctx.keys, { email, since }),
    displayName,
    input,
  };
}

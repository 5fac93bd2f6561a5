import { recordAdminAction } from '../../platform/audit.ts';
import { recordDecision } from '../../platform/decisions.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import {
  isDatabaseUnavailable,
  retryOnDeadlock,
  transaction,
  type Db,
  type Tx,
} from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { parseDateTime } from '../../platform/http/times.ts';
import { newId } from '../../platform/ids.ts';
import { userActor } from '../../platform/events.ts';
import { addJob } from '../../platform/jobs.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { canonicalPlace } from '../../platform/places.ts';
import { conflict, forbidden, notFound, unauthorized } from '../../platform/problems.ts';
import {
  fillMailboxes,
  findPublicUser,
  notProven,
  showsSignatures,
} from '../../identity/accounts/accounts.ts';
import { accountSuspended } from '../../identity/sessions/sessions.ts';
import { canListSignatures, isAccessCode, accessCodeRequired } from '../petitions/policy.ts';
import { usualHourlyLimit } from '../../platform/shared-networks.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { readLanguage, requireReadablePetition, resolvePetitionRef } from '../petitions/read.ts';
import { findPetitionState } from '../petitions/state.ts';
import { findShareOfRef } from '../shares/shares.ts';
import { blockOfOrigin } from '../signing-blocks/signing-blocks.ts';
import { deviceOfLetter } from './devices.ts';
import { normalizeSource, originDigits, originOf } from './origins.ts';
import * as lists from './list-queries.ts';
import { fillAccounts } from './mailboxes.ts';
import { countSignerAccounts as countAccounts } from './summary-queries.ts';
import * as queries from './queries.ts';
import { logReceiptUrl } from './receipts.ts';
import type { Verdict } from './signing-queries.ts';
import type {
  GivenInput,
  OwnSignature,
  OwnSignatureInput,
  Signature,
  SignatureInput,
  SignatureReceipt,
  UserSignature,
} from './schema.ts';
import type { SignatureWriter } from './writer.ts';

export { decideHeldSignature, listHeldSignatures } from './held.ts';
export { findSignatures } from './list-queries.ts';
export { notCountedMail, receiptMail } from './mail-texts.ts';
export { nextMilestone } from './milestones.ts';
export {
  logReceiptUrl,
  readReceipt,
  receiptToken,
  withdrawByReceipt,
  type ReceiptRow,
} from './receipts.ts';
export { hasWithdrawn } from './withdrawal-queries.ts';
export { SignatureWriter } from './writer.ts';
export { deviceOfLetter } from './devices.ts';
export { directSource, normalizeSource, originRange } from './origins.ts';
export {
  addSharedNetwork,
  findSharedOrigins,
  listSharedNetworks,
  removeSharedNetwork,
} from './shared-networks.ts';
export {
  forgetWithdrawnSignatures,
  changeValidity,
  restoreMilestones,
  voidMilestones,
} from './validity.ts';
export {
  findReachedMilestones,
  findNewestSigners,
  findFrequentPlaces,
  type Milestone,
  type Place,
  type Signer,
} from './summary-queries.ts';

/** By network; shared networks have a higher limit. */
export const signingQuota: Quota = {
  name: 'signing',
  points: usualHourlyLimit,
  durationSeconds: 3600,
};

interface Signing {
  caller: Caller;
  /** Slug or id of the petition. */
  ref: string;
  input: GivenInput;
  code?: string | undefined;
  /** Whether the access code of a private petition was checked before. */
  hasCode?: boolean;
  ip: string;
  userAgent: string | undefined;
  /** Shown instead of the account's name. */
  signerName?: string;
}

/**
 * Signs a petition for the caller, whose CAPTCHA was checked before. Resolves after the signature was committed.
 * @throws {Problem} not-found, conflict, forbidden, unauthorized or rate-limited
 */
export async function signPetition(
  ctx: Context,
  writer: SignatureWriter,
  { caller, ref, input, code, hasCode = false, ip, userAgent, signerName }: Signing,
): Promise<SignatureReceipt> {
  const petitionId = await resolvePetitionRef(ctx, ref);
  if (!petitionId) throw notFound('petition');
  const network = networkOf(ip);
  const points = ctx.sharedNetworks.hourlyLimitOf(ip) ?? usualHourlyLimit;
  const tooMany = 'Too many signatures from this address.';
  await ctx.limits.take({ ...signingQuota, points }, network, tooMany);
  let isSigned = false;
  try {
    const id = newId();
    const isAnonymous = input.is_anonymous ?? false;
    const shareId = await shareIdOf(ctx, petitionId, caller, input);
    const origin = originOf(ctx.keys, { petitionId, ip, userAgent });
    const displayLocation = input.display_location?.trim() || null;
    const outcome = await writer.sign({
      id,
      petitionId,
      userId: caller.userId,
      keyId: caller.credential.kind === 'api_key' ? caller.credential.keyId : undefined,
      isAnonymous,
      comment: input.comment?.trim() || null,
      displayLocation,
      signerName: signerName ?? null,
      updates: input.updates ?? false,
      consentVersion: input.consentVersion ?? null,
      privacyVersion: input.privacyVersion ?? null,
      hasCode: hasCode || (await hasAccessCode(ctx, petitionId, input.access_code ?? code)),
      place: await placeOf(ctx, { petitionId, displayLocation, country: origin.country }),
      source: normalizeSource(ctx.config, input.source) ?? (shareId === null ? null : 'share'),
      shareId,
      block: await blockOfOrigin(ctx, {
        petitionId,
        ip,
        addressHash: originDigits(origin),
        country: origin.country,
      }),
      ...origin,
    });
    if (outcome.verdict !== 'signed') throw problems[outcome.verdict]();
    isSigned = true;
    return {
      id,
      petition_id: petitionId,
      user_id: caller.userId,
      is_anonymous: isAnonymous,
      state: outcome.state!,
      signature_count: outcome.signature_count!,
      milestone_reached: outcome.milestone_reached,
      receipt_url: logReceiptUrl(ctx, petitionId),
    };
  } finally {
    // Only stored signatures count towards the limit of an address.
    if (!isSigned) await ctx.limits.giveBack(signingQuota, network);
  }
}

/** The place of a signature. The language of the petition is read where the country is not known, which is seldom. */
async function placeOf(
  ctx: Context,
  signature: { petitionId: string; displayLocation: string | null; country: string | null },
): Promise<string | null> {
  const { petitionId, displayLocation, country } = signature;
  if (displayLocation === null || country !== null)
    return canonicalPlace(displayLocation, { country });
  const language = await readLanguage(ctx, petitionId).catch((error: unknown) => {
    // No signature fails for a hint.
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  });
  return canonicalPlace(displayLocation, { country, language });
}

async function hasAccessCode(
  ctx: Context,
  petitionId: string,
  code: string | undefined,
): Promise<boolean> {
  if (code === undefined) return false;
  const petition = await findPetitionState(ctx.pools.main, petitionId);
  return petition?.visibility === 'private' && isAccessCode(ctx, petition, code);
}

const shareIdOf = async (
  ctx: Context,
  petitionId: string,
  { userId: signerId }: Caller,
  { ref }: SignatureInput,
) => (ref === undefined ? null : findShareOfRef(ctx, ref, { petitionId, signerId }));

const alreadySigned = () =>
  conflict('duplicate_signature', 'You have signed this petition already.');

const problems: Record<Exclude<Verdict, 'signed'>, () => Error> = {
  unknown_petition: () => notFound('petition'),
  unknown_user: () => unauthorized('This account no longer exists.'),
  suspended: accountSuspended,
  private: accessCodeRequired,
  unverified: () => notProven('sign_petition'),
  not_active: () => conflict('invalid_state', 'Only an active petition can be signed.'),
  duplicate: alreadySigned,
  mailbox_has_signed: alreadySigned,
  no_mailbox: () => unauthorized('This account no longer exists.'),
  blocked: () =>
    forbidden(
      'Signatures from your network, country or mail provider are not accepted here. Write to the moderators of this site if you think that this is wrong.',
      'signing_refused',
    ),
};

/** Withdraws the caller's signature, also from a closed petition. */
export async function withdrawOwnSignature(
  ctx: Context,
  caller: Caller,
  ref: string,
  code: string | undefined,
): Promise<void> {
  const petitionId = await resolvePetitionRef(ctx, ref);
  const own = { userId: caller.userId };
  // The state of what is withdrawn is stored by mailbox.
  await fillMailboxes(ctx.db, ctx.keys, [caller.userId]);
  const count =
    petitionId &&
    (await retryOnDeadlock(() =>
      queries.deleteSignature(ctx.db, petitionId, own, userActor(caller)),
    ));
  if (count === undefined || petitionId === undefined) {
    await requireReadablePetition(ctx, caller, ref, code);
    throw notFound('signature of yours');
  }
  evictPetitions(ctx, [petitionId]);
}

/**
 * Changes what the caller said with their signature: the reason, and whether they want news.
 * @throws {Problem} not-found if the petition is not visible, or the caller has not signed it
 */
export async function changeOwnSignature(
  ctx: Context,
  caller: Caller,
  { ref, input, code }: { ref: string; input: OwnSignatureInput; code: string | undefined },
): Promise<OwnSignature> {
  const { id: petitionId } = await requireReadablePetition(ctx, caller, ref, code);
  const changed = await queries.updateOwnSignature(ctx.db, petitionId, caller.userId, {
    ...input,
    ...(typeof input.comment === 'string' && { comment: input.comment.trim() || null }),
  });
  if (!changed) throw notFound('signature of yours');
  evictPetitions(ctx, [petitionId]);
  return presentOwn(ctx, (await lists.findOwnSignature(ctx.db, petitionId, caller.userId))!);
}

/** Converts a row to a signature as its signer sees it. */
const presentOwn = (ctx: Context, row: lists.OwnSignatureRow): OwnSignature => ({
  ...row,
  receipt_url: logReceiptUrl(ctx, row.petition.id),
});

/**
 * Returns a valid signature with a reason that the caller can see.
 * @throws {Problem} not-found; forbidden as `listSignatures`
 */
export async function requireVisibleReason(
  ctx: Context,
  caller: Caller | null,
  { id, code }: { id: string; code: string | undefined },
): Promise<{ petition_id: string }> {
  const found = await queries.findSignature(ctx.db, id);
  if (!found) throw notFound('signature');
  const petition = await requireReadablePetition(ctx, caller, found.petition_id, code);
  if (found.state !== 'counted' || found.comment === null) throw notFound('signature');
  const isOwn = caller !== null && caller.userId === found.user_id;
  if (!isOwn && !(await canListSignatures(ctx, petition, caller))) throw notFound('signature');
  return found;
}

/** Empties the reason of a signature. Returns false if it has none. Callers evict the petition after the commit. */
export const emptyReason = (
  tx: Tx,
  signature: { petitionId: string; id: string },
): Promise<boolean> => queries.emptyReason(tx, signature);

/** Whether the user has signed the petition. Includes invalid signatures. */
export const hasSigned = (ctx: Context, petitionId: string, userId: string): Promise<boolean> =>
  queries.hasSigned(ctx.db, petitionId, userId);

/** Counts the signers of a petition who can be told of it, at most `limit`. */
export const countSignerAccounts = (
  ctx: Context,
  petitionId: string,
  limit: number,
): Promise<number> => countAccounts(ctx.db, petitionId, limit);

/** Returns all signatures of a user, with their origins. */
export async function exportSignatures(db: Db, userId: string): Promise<object[]> {
  const rows = await queries.findSignaturesOfUser(db, userId);
  return rows.map((row) => ({ ...row, device: deviceOfLetter(row.device) }));
}

/**
 * Removes the signer from their signatures, now and again after 60 s, since a group that is being stored
 * may contain another signature of theirs.
 */
export async function eraseSigner(ctx: Context, tx: Tx, userId: string): Promise<void> {
  // Mailboxes stay when the address goes.
  await fillAccounts(tx, ctx.keys, [userId]);
  await queries.forgetSigner(tx, userId);
  const runAt = new Date(Date.now() + 60_000);
  await addJob(tx, 'forget-signer', { user_id: userId }, { runAt });
}

/** Removes a signature for an administrator. The reason goes into the audit log. */
export async function removeSignature(
  ctx: Context,
  caller: Caller,
  id: string,
  reason: string,
): Promise<void> {
  const signature = await queries.findSignature(ctx.db, id);
  if (!signature) throw notFound('signature');
  const petitionId = signature.petition_id;
  const remove = async (tx: Tx) => {
    await recordAdminAction(tx, {
      actorId: caller.userId,
      action: 'signature.remove',
      targetType: 'signature',
      targetId: id,
      details: { petition_id: petitionId },
      reason: { text: reason, about: signature.user_id },
    });
    await recordDecision(tx, {
      act: 'remove_signature',
      target: { type: 'signature', id },
      petitionId,
      userId: signature.user_id,
      moderatorId: caller.userId,
      reason,
    });
    const actor = { type: 'admin', id: caller.userId } as const;
    const count = await queries.deleteSignature(tx, petitionId, { id }, actor);
    if (count === undefined) throw notFound('signature');
  };
  await retryOnDeadlock(() => transaction(ctx.db, remove));
  evictPetitions(ctx, [petitionId]);
}

interface SignatureListQuery extends PageQuery {
  signed_after?: string;
}

/** @throws {Problem} validation-failed for a time that does not exist */
const signedAfterOf = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : parseDateTime('signed_after', time);

/** Returns a page of a user's public signatures, newest first. */
export async function listUserSignatures(
  ctx: Context,
  slug: string,
  { signed_after, ...query }: SignatureListQuery,
): Promise<Page<UserSignature>> {
  const user = await findPublicUser(ctx, slug);
  return pageById(
    'user-signatures',
    { ...query, created_after: signedAfterOf(signed_after)?.toISOString() },
    async (before, count) =>
      showsSignatures(user) ? lists.listPublicSignaturesOf(ctx.db, user.id, before, count) : [],
    (row) => row,
  );
}

/** Returns a page of all signatures of the caller, newest first. */
export const listOwnSignatures = (
  ctx: Context,
  { userId }: Caller,
  { signed_after, ...query }: SignatureListQuery,
): Promise<Page<OwnSignature>> =>
  pageById(
    'own-signatures',
    { ...query, created_after: signedAfterOf(signed_after)?.toISOString() },
    (before, count) => lists.listSignaturesBy(ctx.db, userId, before, count),
    (row) => presentOwn(ctx, row),
  );

/**
 * Returns those of the signatures that all readers of the petition may see, newest first; none if its
 * list is not public.
 */
export function findPublicSignatures(
  ctx: Context,
  petitionId: string,
  ids: string[],
): Promise<Signature[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return lists.findPublicSignatures(ctx.pools.main, petitionId, ids);
}

interface SignaturePage extends Page<Signature> {
  total_count: number;
}

/**
 * Returns a page of valid signatures, newest first.
 * @throws {Problem} forbidden if signature_privacy does not allow it, or as `requireReadablePetition`
 */
export async function listSignatures(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, signed_after, ...query }: SignatureListQuery & { access_code?: string },
): Promise<SignaturePage> {
  const signedAfter = signedAfterOf(signed_after);
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  if (!(await canListSignatures(ctx, petition, caller))) {
    throw forbidden('The creator keeps the list of signatures of this petition private.');
  }
  const [page, total] = await Promise.all([
    pageById(
      'signatures',
      query,
      (beforeId, count) =>
        lists.listSignatures(ctx.db, petition.id, { beforeId, signedAfter }, count),
      (row) => row,
    ),
    queries.readValidSignatureCount(ctx.db, petition.id),
  ]);
  return { ...page, total_count: total };
}

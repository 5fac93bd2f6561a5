import { requireProven } from '../../identity/accounts/accounts.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction, type Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey, takeMailToStranger } from '../../platform/mail-suppressions.ts';
import { conflict, forbidden, gone, notFound } from '../../platform/problems.ts';
import { retentionMs } from '../../platform/retention.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { isCreator } from '../petitions/policy.ts';
import {
  lockOwnPetition,
  requireOrganizedPetition,
  requireOwnPetition,
} from '../petitions/read.ts';
import { lockPetition } from '../petitions/state.ts';
import { linkToken, tokenHash } from './links.ts';
import { presentOrganizer } from './present.ts';
import * as queries from './queries.ts';
import type { OrganizerRow } from './queries.ts';
import type { Organizer, OrganizerInput, OrganizerInvitation } from './schema.ts';

export {
  findHandOver,
  getHandOver,
  offerHandOver,
  takeOver,
  withdrawHandOver,
} from './hand-over.ts';
export { handedOverMail, invitationMail, offerMail } from './mail.ts';

/** Organizers of a petition beside its creator, invitations included. */
export const maxOrganizers = 20;
export const invitationJob = 'invite-organizer';

const daySeconds = 86_400;
const creatorQuota: Quota = {
  name: 'organizer-invitation',
  points: 20,
  durationSeconds: daySeconds,
};
const mailboxQuota: Quota = {
  name: 'organizer-invitation-to-address',
  points: 3,
  durationSeconds: daySeconds,
};
const networkQuota: Quota = {
  name: 'organizer-invitation-network',
  points: 40,
  durationSeconds: daySeconds,
};

/** Returns a page of those who organize the petition with its creator, newest first. Its organizers may read it. */
export async function listOrganizers(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<Organizer>> {
  const petition = await requireOrganizedPetition(ctx, caller, ref);
  return pageById(
    'organizers',
    query,
    (before, count) => queries.listOrganizers(ctx.db, petition.id, before, count),
    (row) => presentOrganizer(row, isCreator(petition, caller) || row.user_id === caller.userId),
  );
}

/**
 * Invites somebody to organize the caller's own petition with them, by a link that is mailed.
 * @throws {Problem} as `requireOwnPetition`; forbidden if the caller's address is not verified; conflict if the address was
 *   invited, or there are too many; rate-limited
 */
export async function inviteOrganizer(
  ctx: Context,
  caller: Caller,
  ref: string,
  { email, role }: OrganizerInput,
): Promise<Organizer> {
  const petition = await requireOwnPetition(ctx, caller, ref);
  const creator = await requireProven(ctx.db, caller.userId, 'invite_organizer');
  const mailbox = mailboxKey(ctx.keys, email);
  if (mailbox === mailboxKey(ctx.keys, creator.email)) throw ownPetition();
  // A refusal sends no mail, so it uses up no limit. Both are judged again once the petition is locked.
  await requireRoom(ctx.db, petition.id);
  if (await queries.isAdded(ctx.db, petition.id, email)) throw alreadyInvited();
  await checkLimits(ctx, caller, mailbox);
  const id = newId();
  const row = await transaction(ctx.db, async (tx) => {
    await lockOwnPetition(tx, caller, petition.id);
    await requireRoom(tx, petition.id);
    const invitation = {
      id,
      petitionId: petition.id,
      email,
      role,
      tokenHash: tokenHash(ctx, linkToken(ctx, id)),
      expiresAt: new Date(ctx.now().getTime() + retentionMs('organizer_invitations')),
    };
    if (!(await queries.insertInvitation(tx, invitation))) throw alreadyInvited();
    await addMailJob(tx, invitationJob, { organizer_id: id, petition_id: petition.id });
    return queries.findOrganizer(tx, invitation);
  });
  return presentOrganizer(row!, true);
}

/** @throws {Problem} conflict if the petition has all organizers that it may have */
async function requireRoom(db: Db, petitionId: string): Promise<void> {
  if ((await queries.countOrganizers(db, petitionId)) < maxOrganizers) return;
  throw conflict('organizer_limit', `A petition has at most ${maxOrganizers} organizers.`);
}

/** Limits mails to those who have not asked for them: by creator, mailbox and network, and in all. */
async function checkLimits(ctx: Context, caller: Caller, mailbox: string): Promise<void> {
  await ctx.limits.take(creatorQuota, caller.userId, 'You have invited enough for a day.');
  if (ctx.callerIp !== undefined) {
    const quota = ctx.sharedNetworks.raiseQuota(networkQuota, ctx.callerIp);
    const message = 'Enough was invited from your network for a day.';
    await ctx.limits.take(quota, networkOf(ctx.callerIp), message);
  }
  const message = 'This address was sent enough for a day.';
  await ctx.limits.take(mailboxQuota, mailbox, message);
  await takeMailToStranger(ctx, mailbox, message);
}

interface OrganizerReference {
  /** Slug or id of the petition. */
  ref: string;
  organizerId: string;
}

/**
 * Ends the rights of an organizer, or an invitation: by the creator, or by the organizer, who leaves.
 * @throws {Problem} as `requireOrganizedPetition`; forbidden for other organizers
 */
export async function removeOrganizer(
  ctx: Context,
  caller: Caller,
  { ref, organizerId: id }: OrganizerReference,
): Promise<void> {
  const petition = await requireOrganizedPetition(ctx, caller, ref);
  const reference = { petitionId: petition.id, id };
  await transaction(ctx.db, async (tx) => {
    // Handing over locks it too: a creator does not remove who has taken it over.
    const locked = await lockPetition(tx, petition.id);
    const organizer = await queries.findOrganizer(tx, reference);
    if (!locked || !organizer) throw organizerNotFound();
    if (!isCreator(locked, caller) && organizer.user_id !== caller.userId) {
      throw forbidden('Only the creator of the petition may remove other organizers.');
    }
    await queries.deleteOrganizer(tx, reference);
  });
  evictPetitions(ctx, [petition.id]);
}

/** Unknown links of a network. */
const linkQuota: Quota = {
  name: 'organizer-invitation-link',
  points: 100,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/**
 * Returns what a mailed link is about.
 * @throws {Problem} not-found for an unknown link, or one that was declined or taken back; rate-limited
 */
async function requireLink(ctx: Context, token: string): Promise<OrganizerRow> {
  const found = await ctx.limits.checkGuess(
    [[linkQuota, networkOf(ctx.callerIp ?? '')]],
    'Too many links that do not exist.',
    () => queries.findByToken(ctx.db, tokenHash(ctx, token)),
  );
  if (!found) throw notFound('invitation');
  return found;
}

/**
 * Returns an invitation that can be accepted, for the holder of its link.
 * @throws {Problem} as `requireLink`; gone if it was accepted or has expired, or the petition has no creator any more, or a suspended
 *   one
 */
export async function readInvitation(ctx: Context, token: string): Promise<OrganizerInvitation> {
  const { petition_id: id, user_id, role, expires_at } = await requireLink(ctx, token);
  const petition = await queries.findInvitedPetition(ctx.db, id);
  if (user_id !== null || expires_at! <= ctx.now() || !petition) throw invitationEnded();
  const { creator, ...about } = petition;
  return { petition: about, invited_by: creator, role, expires_at: expires_at! };
}

/**
 * Makes the caller an organizer. Does nothing if they have accepted already.
 * @throws {Problem} as `readInvitation`; conflict if they organize the petition already
 */
export async function acceptInvitation(
  ctx: Context,
  caller: Caller,
  token: string,
): Promise<Organizer & { petition_id: string }> {
  const { id, petition_id: petitionId } = await requireLink(ctx, token);
  const row = await transaction(ctx.db, async (tx) => {
    // An erasure of the creator locks it too, and passes it on to those who organize it by then.
    const petition = await lockPetition(tx, petitionId);
    if (!petition || petition.creator_id === null) throw invitationEnded();
    if (petition.creator_id === caller.userId) throw ownPetition();
    if (!(await queries.findInvitedPetition(tx, petitionId))) throw invitationEnded();
    const reference = { petitionId, id };
    const isOther = await queries.organizes(tx, {
      petitionId,
      userId: caller.userId,
      exceptId: id,
    });
    if (isOther) throw conflict('already_added', 'You organize this petition already.');
    const isAccepted = await queries.acceptInvitation(tx, id, caller.userId);
    const organizer = await queries.findOrganizer(tx, reference);
    if (!organizer || (!isAccepted && organizer.user_id !== caller.userId)) throw invitationEnded();
    return organizer;
  });
  evictPetitions(ctx, [petitionId]);
  return { ...presentOrganizer(row, true), petition_id: petitionId };
}

/**
 * Ends an invitation, for the holder of its link.
 * @throws {Problem} as `requireLink`; gone if it was accepted
 */
export async function declineInvitation(ctx: Context, token: string): Promise<void> {
  const { id } = await requireLink(ctx, token);
  if (!(await queries.deleteInvitation(ctx.db, id))) throw invitationEnded();
}

const invitationEnded = () =>
  gone(
    'This invitation has ended: it was accepted, is too old, or the petition has no active creator.',
  );
const ownPetition = () => conflict('own_petition', 'You organize this petition yourself.');
const alreadyInvited = () => conflict('already_added', 'This address was invited already.');
const organizerNotFound = () => notFound('organizer');

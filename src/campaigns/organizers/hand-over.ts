import {
  findUser,
  isProven,
  requireProven,
  type UserRow,
} from '../../identity/accounts/accounts.ts';
import { roleIn } from '../../identity/organizations/organizations.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { emit, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { Quota } from '../../platform/limits.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailboxKey, takeMailToStranger } from '../../platform/mail-suppressions.ts';
import { conflict, forbidden, notFound } from '../../platform/problems.ts';
import { evictPetitions } from '../petitions/cache.ts';
import { isCreator } from '../petitions/policy.ts';
import {
  lockOwnPetition,
  readFreshPetition,
  requireOrganizedPetition,
  requireOwnPetition,
} from '../petitions/read.ts';
import type { Petition } from '../petitions/schema.ts';
import { lockPetition } from '../petitions/state.ts';
import { givePetition } from './giving.ts';
import { presentOrganizer } from './present.ts';
import * as queries from './queries.ts';
import type { HandOver, HandOverInput } from './schema.ts';

export const offerJob = 'mail-hand-over-offer';
export const handedOverJob = 'mail-handed-over';

const daySeconds = 86_400;
const creatorQuota: Quota = { name: 'hand-over-offer', points: 20, durationSeconds: daySeconds };
/** Mails of offers to one mailbox, whichever of its accounts they are for. */
const mailboxQuota: Quota = {
  name: 'hand-over-offer-to-mailbox',
  points: 3,
  durationSeconds: daySeconds,
};

/**
 * Offers the caller's own petition to one who organizes it with them, instead of to another. Both agree once that one
 * accepts.
 * @throws {Problem} as `requireOwnPetition`; forbidden if the caller's address is not proven; not-found for no organizer,
 *   conflict if the invitation was not accepted, or the organizer's address is not proven; rate-limited
 */
export async function offerHandOver(
  ctx: Context,
  caller: Caller,
  ref: string,
  { organizer_id: id }: HandOverInput,
): Promise<HandOver> {
  const petition = await requireOwnPetition(ctx, caller, ref);
  await requireProven(ctx.db, caller.userId, 'hand_over_petition');
  await ctx.limits.take(creatorQuota, caller.userId, 'You have offered enough for a day.');
  const reference = { petitionId: petition.id, id };
  const recipient = await findRecipient(ctx, reference);
  if (recipient) await checkMailLimits(ctx, recipient);
  const offered = await transaction(ctx.db, async (tx) => {
    await lockOwnPetition(tx, caller, petition.id);
    const organizer = await queries.findOrganizer(tx, reference);
    if (!organizer) throw notFound('organizer');
    if (organizer.user_id === null) {
      throw conflict('not_accepted', 'The invitation was not accepted yet.');
    }
    if (organizer.hand_over_offered_at) return organizer;
    await queries.offerHandOver(tx, reference);
    if (recipient) {
      await addMailJob(tx, offerJob, { organizer_id: id, petition_id: petition.id });
    }
    return (await queries.findOrganizer(tx, reference))!;
  });
  return present(offered, true);
}

/**
 * Returns the account that a new offer is mailed to. Undefined if there is an offer already.
 * @throws {Problem} conflict if the address of the account is not proven
 */
async function findRecipient(
  ctx: Context,
  reference: { petitionId: string; id: string },
): Promise<UserRow | undefined> {
  const organizer = await queries.findOrganizer(ctx.db, reference);
  if (!organizer?.user_id || organizer.hand_over_offered_at) return undefined;
  const user = await findUser(ctx.db, organizer.user_id);
  if (user && !isProven(user)) {
    throw conflict('no_organizer', 'The organizer has not verified their address yet.');
  }
  return user;
}

/** Limits mails that others cause: by mailbox, and in all. */
async function checkMailLimits(ctx: Context, { email }: UserRow): Promise<void> {
  const mailbox = mailboxKey(ctx.keys, email);
  const message = 'They were sent enough mail for a day.';
  await ctx.limits.take(mailboxQuota, mailbox, message);
  await takeMailToStranger(ctx, mailbox, message);
}

/** Returns the open offer to those who organize the petition; undefined if there is none. */
export async function findHandOver(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<HandOver | undefined> {
  const petition = await requireOrganizedPetition(ctx, caller, ref);
  const offered = await queries.findOffered(ctx.db, petition.id);
  return offered && present(offered, isCreator(petition, caller));
}

/** As `findHandOver`. @throws {Problem} not-found if there is none */
export async function getHandOver(ctx: Context, caller: Caller, ref: string): Promise<HandOver> {
  const offered = await findHandOver(ctx, caller, ref);
  if (!offered) throw notFound('offer');
  return offered;
}

/**
 * Ends an offer: taken back by the creator, or declined by the organizer.
 * @throws {Problem} not-found without one; forbidden for other organizers
 */
export async function withdrawHandOver(ctx: Context, caller: Caller, ref: string): Promise<void> {
  const petition = await requireOrganizedPetition(ctx, caller, ref);
  await transaction(ctx.db, async (tx) => {
    const locked = await lockPetition(tx, petition.id);
    const offered = await queries.findOffered(tx, petition.id);
    if (!locked || !offered) throw notFound('offer');
    if (!isCreator(locked, caller) && offered.user_id !== caller.userId) throw offerOfOthers();
    await queries.withdrawOffer(tx, petition.id);
  });
}

/**
 * Makes the caller, to whom the petition was offered, its creator. The former one keeps no right.
 * @throws {Problem} not-found without an offer; forbidden if it is another's, the caller's address is not proven, or the
 *   petition belongs to an organization of which the caller is no member
 */
export async function takeOver(ctx: Context, caller: Caller, ref: string): Promise<Petition> {
  const petition = await requireOrganizedPetition(ctx, caller, ref);
  await requireProven(ctx.db, caller.userId, 'take_petition_over');
  await transaction(ctx.db, async (tx) => {
    const locked = await lockPetition(tx, petition.id);
    if (!locked?.creator_id) throw notFound('petition');
    const offered = await queries.findOffered(tx, petition.id);
    if (!offered) throw notFound('offer');
    if (offered.user_id !== caller.userId) throw offerOfOthers();
    if (locked.org_id && !(await roleIn(tx, locked.org_id, caller.userId))) {
      throw forbidden('Only members of the organization may take over its petitions.');
    }
    const { creator_id: from } = locked;
    const successor = { id: offered.id, petition_id: petition.id, user_id: caller.userId };
    if (!(await givePetition(tx, from, successor))) throw notFound('offer');
    await emit(tx, {
      type: 'petition.handed_over',
      petitionId: petition.id,
      actor: userActor(caller),
    });
    const job = { petition_id: petition.id, user_id: from, by_id: caller.userId };
    await addMailJob(tx, handedOverJob, job);
  });
  evictPetitions(ctx, [petition.id]);
  return readFreshPetition(ctx, petition.id, caller);
}

const offerOfOthers = () => forbidden('The petition was offered to another organizer.');

const present = (row: queries.OrganizerRow, isForCreator: boolean): HandOver => ({
  organizer: presentOrganizer(row, isForCreator),
  offered_at: row.hand_over_offered_at!,
});

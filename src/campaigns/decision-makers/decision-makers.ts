import { requireProven } from '../../identity/accounts/accounts.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { mailboxKey, takeMailToStranger } from '../../platform/mail-suppressions.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { addDecisionMakers, removeDecisionMaker } from '../petitions/write.ts';
import { evictPetitions } from '../petitions/cache.ts';
import {
  lockEditablePetition,
  lockOwnPetition,
  requireEditablePetition,
  requireOwnPetition,
} from '../petitions/read.ts';
import { maxDecisionMakers, type DecisionMakerInput } from '../petitions/schema.ts';
import { tokenHash, linkToken } from './links.ts';
import { isDeliverable, linkLifetimeMs, deliveryState } from './policy.ts';
import * as queries from './queries.ts';
import type { MakerRow } from './queries.ts';
import type { DecisionMaker, DeliveryInput } from './schema.ts';

export {
  listPublishedResponses,
  listResponses,
  listSubmittedResponses,
  newestOwnResponses,
  newestResponses,
  publishResponse,
  responsesForEvents,
  type NewestResponses,
} from './responses.ts';
export { cancelDeliveriesOfPetition } from './queries.ts';
export { listMakersToVerify, verifyMaker } from './verification.ts';
export { getOwnSummaryFile } from './summary-file.ts';
export { composeDeliveryMail } from './mail.ts';
export {
  getSummaryOfLink,
  markPortalOpened,
  previewResponse,
  readPortal,
  submitResponse,
} from './portal.ts';
export { positionTexts } from './texts.ts';

// Decision makers did not ask for these mails.
const recipientQuota: Quota = { name: 'delivery-to-address', points: 5, durationSeconds: 86_400 };
const creatorQuota: Quota = { name: 'delivery-by-creator', points: 100, durationSeconds: 86_400 };
const networkQuota: Quota = { name: 'delivery-by-network', points: 200, durationSeconds: 86_400 };

/**
 * Adds a decision maker to a petition that the caller may edit.
 * @throws {Problem} as `requireEditablePetition`; conflict if the address is on it already, or at the maximum number
 */
export async function addMaker(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: DecisionMakerInput,
): Promise<DecisionMaker> {
  const petition = await requireEditablePetition(ctx, caller, ref);
  const maker = await transaction(ctx.db, async (tx) => {
    await lockEditablePetition(tx, caller, petition.id);
    if ((await queries.countMakers(tx, petition.id)) >= maxDecisionMakers) {
      throw tooManyMakers();
    }
    const [id] = await addDecisionMakers(tx, petition.id, [input]);
    if (!id) {
      throw makerAlreadyAdded();
    }
    return queries.findMaker(tx, petition.id, id);
  });
  evictPetitions(ctx, [petition.id]);
  return present(maker!);
}

export const tooManyMakers = () =>
  conflict('decision_maker_limit', `A petition has at most ${maxDecisionMakers} decision makers.`);

export const makerAlreadyAdded = () =>
  conflict('already_added', 'A decision maker with this address is on the petition.');

export async function listMakers(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<DecisionMaker>> {
  const { id } = await requireEditablePetition(ctx, caller, ref);
  return pageById(
    'decision-makers',
    query,
    (before, count) => queries.listMakers(ctx.db, id, before, count),
    present,
  );
}

/** Returns one decision maker of a petition that the caller may edit. */
export async function getMaker(
  ctx: Context,
  caller: Caller,
  { ref, makerId }: MakerReference,
): Promise<DecisionMaker> {
  const { id } = await requireEditablePetition(ctx, caller, ref);
  const maker = await queries.findMaker(ctx.db, id, makerId);
  if (!maker) throw makerNotFound();
  return present(maker);
}

interface MakerReference {
  ref: string;
  makerId: string;
}

/**
 * Removes a decision maker from a petition that the caller may edit, which invalidates their link.
 * @throws {Problem} conflict if they have responded
 */
export async function removeMaker(
  ctx: Context,
  caller: Caller,
  { ref, makerId }: MakerReference,
): Promise<void> {
  const petition = await requireEditablePetition(ctx, caller, ref);
  await transaction(ctx.db, async (tx) => {
    await lockEditablePetition(tx, caller, petition.id);
    const maker = await queries.lockMaker(tx, petition.id, makerId);
    if (!maker) throw makerNotFound();
    if (maker.responded_at) {
      throw conflict('already_responded', 'The decision maker has responded already.');
    }
    await removeDecisionMaker(tx, makerId);
  });
  evictPetitions(ctx, [petition.id]);
}

/**
 * Sends a mail with a new link to the portal, which takes one response, and invalidates earlier links. Those who have
 * responded can be asked again.
 */
export async function deliverPetition(
  ctx: Context,
  caller: Caller,
  { ref, makerId }: MakerReference,
  { summary = 'pdf', message }: DeliveryInput,
): Promise<DecisionMaker> {
  const petition = await requireOwnPetition(ctx, caller, ref);
  const maker = await queries.findMaker(ctx.db, petition.id, makerId);
  if (!maker) throw makerNotFound();
  if (!isDeliverable(petition)) {
    throw conflict('invalid_state', 'Only a petition that was published can be delivered.');
  }
  await requireProven(ctx.db, caller.userId, 'deliver_petition');
  await checkMailLimits(ctx, caller, maker);
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    // Handing over locks it too, and cancels the deliveries of the former creator.
    await lockOwnPetition(tx, caller, petition.id);
    if (!(await queries.lockMaker(tx, petition.id, makerId))) throw makerNotFound();
    await queries.replaceLink(tx, {
      id,
      makerId,
      tokenHash: tokenHash(ctx, linkToken(ctx, id)),
      summary,
      message: message?.trim() || null,
      expiresAt: new Date(ctx.now().getTime() + linkLifetimeMs),
    });
    await addMailJob(tx, 'deliver-petition', { link_id: id });
    return present((await queries.findMaker(tx, petition.id, makerId))!);
  });
}

/** Limits mails to those who have not asked for them: by mailbox, creator and network, and in all. */
async function checkMailLimits(ctx: Context, caller: Caller, { email }: MakerRow): Promise<void> {
  const mailbox = mailboxKey(ctx.keys, email ?? '');
  const message = 'This address was sent enough for a day.';
  await ctx.limits.take(creatorQuota, caller.userId, 'You have sent enough for a day.');
  if (ctx.callerIp !== undefined) {
    const fromNetwork = 'Enough was sent from your network for a day.';
    await ctx.limits.take(networkQuota, networkOf(ctx.callerIp), fromNetwork);
  }
  await ctx.limits.take(recipientQuota, mailbox, message);
  await takeMailToStranger(ctx, mailbox, message);
}

const makerNotFound = () => notFound('decision maker');

const present = (row: MakerRow): DecisionMaker => ({
  id: row.id,
  name: row.name,
  title: row.title,
  email: row.email,
  verified: row.verified_at !== null,
  sending: row.sending,
  state: deliveryState(row),
  delivered_at: row.sent_at,
  opened_at: row.opened_at,
  responded_at: row.responded_at,
  link_expires_at: row.sent_at && row.expires_at,
  created_at: row.created_at,
});

import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { addJob } from '../../platform/jobs.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import {
  addDecisionMakers,
  forgetPetitions,
  ownPetition,
  removeDecisionMaker,
} from '../petitions/petitions.ts';
import { maxDecisionMakers, type DecisionMakerInput } from '../petitions/schema.ts';
import { tokenHash, tokenOf } from './links.ts';
import { isDeliverable, linkLifetime, stateOf } from './policy.ts';
import * as queries from './queries.ts';
import type { MakerRow } from './queries.ts';
import type { DecisionMaker, DeliveryInput } from './schema.ts';

export { listResponses, publishResponse, responsesForEvents } from './responses.ts';
export { summaryOf } from './summary-file.ts';

/** Puts a decision maker on the caller's petition. */
export async function addMaker(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: DecisionMakerInput,
): Promise<DecisionMaker> {
  const petition = await ownPetition(ctx, caller, ref);
  const maker = await transaction(ctx.db, async (tx) => {
    if ((await queries.countMakersLocked(tx, petition.id)) >= maxDecisionMakers) {
      throw conflict(
        'decision_maker_limit',
        `A petition has at most ${maxDecisionMakers} decision makers.`,
      );
    }
    const [id] = await addDecisionMakers(tx, petition.id, [input]);
    if (!id) {
      throw conflict('already_added', 'A decision maker with this address is on the petition.');
    }
    return queries.findMaker(tx, petition.id, id);
  });
  forgetPetitions(ctx, [petition.id]);
  return present(maker!);
}

export async function listMakers(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<DecisionMaker>> {
  const { id } = await ownPetition(ctx, caller, ref);
  return pageById(
    'decision-makers',
    query,
    (before, howMany) => queries.listMakers(ctx.db, id, before, howMany),
    present,
  );
}

/** One of the decision makers of the caller's petition. */
export async function getMaker(
  ctx: Context,
  caller: Caller,
  { ref, makerId }: Named,
): Promise<DecisionMaker> {
  const { id } = await ownPetition(ctx, caller, ref);
  const maker = await queries.findMaker(ctx.db, id, makerId);
  if (!maker) throw noMaker();
  return present(maker);
}

/** A decision maker of a petition, as a path names both. */
interface Named {
  ref: string;
  makerId: string;
}

/** Takes a decision maker off the petition, which ends the link; not one who has responded. */
export async function removeMaker(
  ctx: Context,
  caller: Caller,
  { ref, makerId }: Named,
): Promise<void> {
  const petition = await ownPetition(ctx, caller, ref);
  await transaction(ctx.db, async (tx) => {
    requireUnanswered(await queries.lockMaker(tx, petition.id, makerId));
    await removeDecisionMaker(tx, makerId);
  });
  forgetPetitions(ctx, [petition.id]);
}

/** Lets a mail go out that has a new link to the portal. Any link before it ends. */
export async function deliver(
  ctx: Context,
  caller: Caller,
  { ref, makerId }: Named,
  { summary = 'pdf', message }: DeliveryInput,
): Promise<DecisionMaker> {
  const petition = await ownPetition(ctx, caller, ref);
  const maker = await queries.findMaker(ctx.db, petition.id, makerId);
  if (!maker) throw noMaker();
  if (!isDeliverable(petition)) {
    throw conflict('invalid_state', 'Only a petition that was published can be delivered.');
  }
  requireUnanswered(maker);
  await takeQuota(ctx, caller, maker);
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    requireUnanswered(await queries.lockMaker(tx, petition.id, makerId));
    await queries.replaceLink(tx, {
      id,
      makerId,
      tokenHash: tokenHash(ctx, tokenOf(ctx, id)),
      summary,
      message: message?.trim() || null,
      expiresAt: new Date(ctx.now().getTime() + linkLifetime),
    });
    await addJob(tx, 'deliver-petition', { link_id: id });
    return present((await queries.findMaker(tx, petition.id, makerId))!);
  });
}

/** Decision makers have not asked for mails, so these are few: for each of them, and of each creator. */
async function takeQuota(ctx: Context, caller: Caller, { email }: MakerRow): Promise<void> {
  const key = ctx.keys
    .hash('respond-token', 'address', email?.toLowerCase() ?? '')
    .toString('base64url');
  await ctx.limits.take('delivery-to-address', key, 'This address was sent enough for a day.');
  await ctx.limits.take('delivery-by-creator', caller.userId, 'You have sent enough for a day.');
}

/** @throws {Problem} not-found where there is none, conflict where the decision maker has responded */
function requireUnanswered(maker: MakerRow | undefined): void {
  if (!maker) throw noMaker();
  if (maker.responded_at) {
    throw conflict('already_responded', 'The decision maker has responded already.');
  }
}

const noMaker = () => notFound('decision maker');

const present = (row: MakerRow): DecisionMaker => ({
  id: row.id,
  name: row.name,
  title: row.title,
  email: row.email,
  state: stateOf(row),
  delivered_at: row.sent_at,
  opened_at: row.opened_at,
  responded_at: row.responded_at,
  link_expires_at: row.sent_at && row.expires_at,
  created_at: row.created_at,
});

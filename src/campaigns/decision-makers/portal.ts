import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, gone, notFound } from '../../platform/problems.ts';
import { petitionForGuest } from '../petitions/petitions.ts';
import type { Petition } from '../petitions/schema.ts';
import { tokenHash } from './links.ts';
import { hasEnded } from './policy.ts';
import * as queries from './queries.ts';
import { findResponseOf, insertResponse } from './response-queries.ts';
import { presentResponse } from './responses.ts';
import type { DecisionMakerResponse, Portal, ResponseInput } from './schema.ts';

/** A link that works, and where it leads. */
interface WorkingLink {
  id: string;
  maker: { id: string; name: string; title: string | null };
  petition: Petition;
  expiresAt: Date;
}

/**
 * @throws {Problem} not-found where there is no such link or its petition cannot be seen by everybody;
 *   gone where it was replaced or has expired, or the decision maker was taken off the petition
 */
async function workingLink(ctx: Context, token: string): Promise<WorkingLink> {
  const link = await queries.findLink(ctx.db, tokenHash(ctx, token));
  if (!link) throw notFound('link');
  const { decision_maker_id: id, petition_id: petitionId, name, title } = link;
  if (!id || !petitionId || name === null) throw ended();
  const petition = await petitionForGuest(ctx, petitionId);
  if (!petition) throw notFound('petition');
  if (hasEnded(link, ctx.now())) throw ended();
  return { id: link.id, maker: { id, name, title }, petition, expiresAt: link.expires_at };
}

/** What the link shows. */
export async function readPortal(ctx: Context, token: string): Promise<Portal> {
  return portalOf(ctx, await workingLink(ctx, token));
}

/** The same for somebody who looks at it, which the creator is shown. */
export async function openPortal(ctx: Context, token: string): Promise<Portal> {
  const link = await workingLink(ctx, token);
  await queries.markOpened(ctx.db, link.id);
  return portalOf(ctx, link);
}

async function portalOf(
  ctx: Context,
  { maker, petition, expiresAt }: WorkingLink,
): Promise<Portal> {
  const response = await findResponseOf(ctx.db, maker.id);
  return {
    petition,
    signature_count: petition.signature_count,
    decision_maker: { name: maker.name, title: maker.title },
    responded: response !== undefined,
    response: response ? presentResponse(response) : null,
    link_expires_at: expiresAt,
  };
}

/** Stores the one response of a decision maker. */
export async function respond(
  ctx: Context,
  token: string,
  { body, status }: ResponseInput,
): Promise<DecisionMakerResponse> {
  const { maker, petition } = await workingLink(ctx, token);
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    await queries.lockMaker(tx, petition.id, maker.id);
    // A delivery or a removal may have ended the link meanwhile.
    const link = await queries.findLink(tx, tokenHash(ctx, token));
    if (!link?.decision_maker_id || hasEnded(link, ctx.now())) throw ended();
    const stored = { id, petitionId: petition.id, makerId: maker.id, body, status: status ?? null };
    if (!(await insertResponse(tx, stored))) {
      throw conflict('already_responded', 'You have responded already.');
    }
    await emit(tx, {
      type: 'response.submitted',
      petitionId: petition.id,
      actor: { type: 'decision_maker', id: maker.id },
      data: { response_id: id, decision_maker_id: maker.id },
    });
    return presentResponse((await findResponseOf(tx, maker.id))!);
  });
}

const ended = () => gone('This link has ended: it is too old, or another has taken its place.');

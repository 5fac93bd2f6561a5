import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { conflict, gone, notFound } from '../../platform/problems.ts';
import { findPublishedPetition } from '../petitions/read.ts';
import type { Petition } from '../petitions/schema.ts';
import { tokenHash } from './links.ts';
import { hasEnded } from './policy.ts';
import * as queries from './queries.ts';
import { findResponseOfMaker, insertResponse } from './response-queries.ts';
import { presentSingleResponse } from './responses.ts';
import type { Portal, RenderedResponse, ResponseInput } from './schema.ts';

interface ValidLink {
  id: string;
  maker: { id: string; name: string; title: string | null };
  petition: Petition;
  expiresAt: Date;
}

/** Unknown links of a network. */
const linkQuota: Quota = {
  name: 'portal-link',
  points: 100,
  durationSeconds: 3600,
  countsWithoutRedis: true,
};

/**
 * Returns a link with its decision maker and petition.
 * @throws {Problem} not-found for an unknown link or a petition that is not published; gone if the link was
 *   replaced or has expired, or the decision maker was removed; rate-limited after too many unknown ones
 */
async function requireValidLink(ctx: Context, token: string): Promise<ValidLink> {
  const link = await ctx.limits.checkGuess(
    [[linkQuota, networkOf(ctx.callerIp ?? '')]],
    'Too many links that do not exist.',
    () => queries.findLink(ctx.db, tokenHash(ctx, token)),
  );
  if (!link) throw notFound('link');
  const { decision_maker_id: id, petition_id: petitionId, name, title } = link;
  if (!id || !petitionId || name === null) throw linkEnded();
  const petition = await findPublishedPetition(ctx, petitionId);
  if (!petition) throw notFound('petition');
  if (hasEnded(link, ctx.now())) throw linkEnded();
  return { id: link.id, maker: { id, name, title }, petition, expiresAt: link.expires_at };
}

/**
 * Returns what the link shows. Does not mark it as opened, since mail scanners and prefetching open links too.
 * @throws {Problem} as `requireValidLink`
 */
export async function readPortal(ctx: Context, token: string): Promise<Portal> {
  const { maker, petition, expiresAt } = await requireValidLink(ctx, token);
  const response = await findResponseOfMaker(ctx.db, maker.id);
  return {
    petition,
    signature_count: petition.signature_count,
    decision_maker: { name: maker.name, title: maker.title },
    responded: response !== undefined,
    response: response ? presentSingleResponse(ctx, response) : null,
    link_expires_at: expiresAt,
  };
}

/**
 * Marks the link as opened: a person saw the page or sent its form. Keeps the time of the first call.
 * @throws {Problem} as `requireValidLink`
 */
export async function markPortalOpened(ctx: Context, token: string): Promise<void> {
  const { id } = await requireValidLink(ctx, token);
  await queries.markOpened(ctx.db, id);
}

/**
 * Stores the response of a decision maker, and marks the link as opened.
 * @throws {Problem} as `requireValidLink`; conflict if they have responded
 */
export async function submitResponse(
  ctx: Context,
  token: string,
  { body, status }: ResponseInput,
): Promise<RenderedResponse> {
  const { id: linkId, maker, petition } = await requireValidLink(ctx, token);
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    await queries.lockMaker(tx, petition.id, maker.id);
    // Read again, since a concurrent delivery or removal may have invalidated the link.
    const link = await queries.findLink(tx, tokenHash(ctx, token));
    if (!link?.decision_maker_id || hasEnded(link, ctx.now())) throw linkEnded();
    const stored = { id, petitionId: petition.id, makerId: maker.id, body, status: status ?? null };
    if (!(await insertResponse(tx, stored))) {
      throw conflict('already_responded', 'You have responded already.');
    }
    await queries.markOpened(tx, linkId);
    await emit(tx, {
      type: 'response.submitted',
      petitionId: petition.id,
      actor: { type: 'decision_maker', id: maker.id },
      data: { response_id: id, decision_maker_id: maker.id },
    });
    return presentSingleResponse(ctx, (await findResponseOfMaker(tx, maker.id))!);
  });
}

const linkEnded = () => gone('This link has ended: it is too old, or another has taken its place.');

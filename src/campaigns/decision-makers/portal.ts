import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import type { Attachment } from '../../platform/mail.ts';
import { conflict, gone, invalidValue, notFound } from '../../platform/problems.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import { findPublishedPetition } from '../petitions/read.ts';
import type { Petition } from '../petitions/schema.ts';
import { lockPetitionKeyShare } from '../petitions/state.ts';
import { tokenHash } from './links.ts';
import { hasEnded } from './policy.ts';
import * as queries from './queries.ts';
import {
  findRespondent,
  findResponses,
  findResponsesOfMaker,
  insertResponse,
  type ResponseRow,
} from './response-queries.ts';
import { presentSingleResponse, presentWithOpinions } from './responses.ts';
import type {
  Portal,
  RenderedResponse,
  ResponseInput,
  ResponsePreview,
  summaryFormats,
} from './schema.ts';
import { makeSummaryFile, summaryQuota } from './summary-file.ts';

interface ValidLink {
  id: string;
  maker: { id: string; name: string; title: string | null };
  petition: Petition;
  /** What was attached to the mail. */
  summary: (typeof summaryFormats)[number];
  createdAt: Date;
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
  const { summary, created_at: createdAt, expires_at: expiresAt } = link;
  return { id: link.id, maker: { id, name, title }, petition, summary, createdAt, expiresAt };
}

/**
 * Whether a response was given by a valid link. Those from before links were stored with them are of the link that was
 * current then.
 */
const isByLink = (response: ResponseRow, link: Pick<ValidLink, 'id' | 'createdAt'>) =>
  response.link_id === null ? response.created_at >= link.createdAt : response.link_id === link.id;

/**
 * Returns what the link shows. Does not mark it as opened, since mail scanners and prefetching open links too.
 * @throws {Problem} as `requireValidLink`
 */
export async function readPortal(ctx: Context, token: string): Promise<Portal> {
  const link = await requireValidLink(ctx, token);
  const { maker, petition, expiresAt } = link;
  const responses = await findResponsesOfMaker(ctx.db, maker.id);
  const response = responses.find((one) => isByLink(one, link));
  const earlier = responses.filter((one) => one !== response);
  return {
    petition,
    signature_count: petition.signature_count,
    decision_maker: { name: maker.name, title: maker.title },
    responded: response !== undefined,
    response: response ? await presentWithOpinions(ctx, response) : null,
    earlier_responses: await Promise.all(earlier.map((one) => presentWithOpinions(ctx, one))),
    link_expires_at: expiresAt,
    summary: link.summary,
  };
}

/**
 * Returns the summary of the signatures that was attached to the mail, as it is now.
 * @throws {Problem} as `requireValidLink`; not-found if none was attached; rate-limited
 */
export async function getSummaryOfLink(ctx: Context, token: string): Promise<Attachment> {
  const { id, petition, summary } = await requireValidLink(ctx, token);
  if (summary === 'none') throw notFound('summary');
  await ctx.limits.take(summaryQuota, id, 'Too many summaries.');
  return makeSummaryFile(ctx, petition, summary);
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
 * Returns a response as it would be shown, and marks the link as opened. Stores nothing else.
 * @throws {Problem} as `submitResponse`
 */
export async function previewResponse(
  ctx: Context,
  token: string,
  input: ResponseInput,
): Promise<ResponsePreview> {
  const { body, ...claim } = { ...input, ...claimOf(input) };
  const link = await requireValidLink(ctx, token);
  await queries.markOpened(ctx.db, link.id);
  const [responses, maker] = await Promise.all([
    findResponsesOfMaker(ctx.db, link.maker.id),
    findRespondent(ctx.db, link.maker.id),
  ]);
  if (!maker) throw linkEnded();
  if (responses.some((one) => isByLink(one, link))) throw alreadyResponded();
  return {
    ...maker,
    body,
    body_html: renderMarkdown(body, ctx.config).text,
    status: claim.status ?? null,
    not_responsible: claim.not_responsible,
    responsible: claim.responsible,
  };
}

/**
 * Stores the response of a decision maker, and marks the link as opened.
 * @throws {Problem} as `requireValidLink`; validation-failed; conflict if the link was answered
 */
export async function submitResponse(
  ctx: Context,
  token: string,
  input: ResponseInput,
): Promise<RenderedResponse> {
  const { not_responsible: notResponsible, responsible } = claimOf(input);
  const valid = await requireValidLink(ctx, token);
  const { id: linkId, maker, petition } = valid;
  const id = newId();
  return transaction(ctx.db, async (tx) => {
    await lockPetitionKeyShare(tx, petition.id);
    await queries.lockMaker(tx, petition.id, maker.id);
    // Read again, since a concurrent delivery or removal may have invalidated the link.
    const link = await queries.findLink(tx, tokenHash(ctx, token));
    if (!link?.decision_maker_id || hasEnded(link, ctx.now())) throw linkEnded();
    const responses = await findResponsesOfMaker(tx, maker.id);
    if (responses.some((one) => isByLink(one, valid))) throw alreadyResponded();
    await insertResponse(tx, {
      id,
      petitionId: petition.id,
      makerId: maker.id,
      linkId,
      body: input.body,
      status: input.status ?? null,
      notResponsible,
      responsible,
    });
    await queries.markOpened(tx, linkId);
    await emit(tx, {
      type: 'response.submitted',
      petitionId: petition.id,
      actor: { type: 'decision_maker', id: maker.id },
      data: { response_id: id, decision_maker_id: maker.id },
    });
    const [stored] = await findResponses(tx, [id]);
    return presentSingleResponse(ctx, stored!, null);
  });
}

/**
 * Returns whether a response says that the decision maker is not responsible, and who is instead.
 * @throws {Problem} validation-failed if it names somebody without saying so
 */
function claimOf({ not_responsible: notResponsible = false, responsible }: ResponseInput) {
  const named = responsible?.trim() || null;
  if (named !== null && !notResponsible) {
    throw invalidValue('responsible', 'This is only for responses with not_responsible.');
  }
  return { not_responsible: notResponsible, responsible: named };
}

const alreadyResponded = () => conflict('already_responded', 'You have responded already.');

const linkEnded = () => gone('This link has ended: it is too old, or another has taken its place.');

import type { Context } from '../../platform/context.ts';
import { decodeCursor, encodeCursor, toPage, type Page } from '../../platform/cursor.ts';
import { transaction, type Db } from '../../platform/db.ts';
import { emit, systemActor, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { countSums, sumsOfOpinions } from '../answer-opinions/answer-opinions.ts';
import type { OpinionSums } from '../answer-opinions/schema.ts';
import { isCreator } from '../petitions/policy.ts';
import { lockOwnPetition, requireOwnPetition, requireReadablePetition } from '../petitions/read.ts';
import { canSeeResponse, publishAfterMs } from './policy.ts';
import * as queries from './response-queries.ts';
import type { ResponseRow, ResponseScope } from './response-queries.ts';
import type { DecisionMakerResponse, RenderedResponse } from './schema.ts';

/** Responses that are published in one transaction. */
const batchSize = 100;

interface ListQuery {
  access_code?: string;
  cursor?: string;
  limit?: number;
}

/** Names the list in its cursors: those of the former list, which was newest first, are refused. */
const listName = 'responses-oldest-first';

/** Returns a page of published responses to a petition, of all for its creator, oldest first. */
export async function listResponses(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, cursor, limit = defaultLimit }: ListQuery,
): Promise<Page<DecisionMakerResponse>> {
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  const scope = isCreator(petition, caller) ? 'all' : 'published';
  return pageOfResponses(ctx, petition.id, scope, { cursor, limit });
}

/** As `listResponses`, of published ones for everybody: for pages that the public sees. */
export async function listPublishedResponses(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, cursor, limit = defaultLimit }: ListQuery,
): Promise<Page<DecisionMakerResponse>> {
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  return pageOfResponses(ctx, petition.id, 'published', { cursor, limit });
}

async function pageOfResponses(
  ctx: Context,
  petitionId: string,
  scope: ResponseScope,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<DecisionMakerResponse>> {
  const keys = decodeCursor(listName, ['uuid'], cursor);
  const after = keys && String(keys[0]);
  const rows = await queries.listResponses(ctx.db, petitionId, scope, after, limit + 1);
  const page = toPage(
    rows,
    limit,
    ({ id }) => encodeCursor(listName, [id]),
    (row) => row,
  );
  return { ...page, items: await presentAll(ctx, page.items) };
}

/** The newest published responses to a petition, oldest first, and whether there are earlier ones. */
export interface NewestResponses {
  responses: DecisionMakerResponse[];
  hasEarlier: boolean;
}

/** Returns the newest published responses to a petition. */
export async function newestResponses(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, limit }: { access_code?: string | undefined; limit: number },
): Promise<NewestResponses> {
  const { id } = await requireReadablePetition(ctx, caller, ref, code);
  const rows = await queries.newestResponses(ctx.db, id, 'published', limit + 1);
  return {
    responses: await presentAll(ctx, rows.slice(0, limit).toReversed()),
    hasEarlier: rows.length > limit,
  };
}

/** Returns the newest responses to the caller's petition, oldest first, published or not. */
export async function newestOwnResponses(
  ctx: Context,
  caller: Caller,
  ref: string,
  limit: number,
): Promise<DecisionMakerResponse[]> {
  const { id } = await requireOwnPetition(ctx, caller, ref);
  const rows = await queries.newestResponses(ctx.db, id, 'all', limit);
  return presentAll(ctx, rows.toReversed());
}

/** Returns the oldest responses to the caller's petition that are not published yet. */
export async function listSubmittedResponses(
  ctx: Context,
  caller: Caller,
  ref: string,
  limit: number,
): Promise<DecisionMakerResponse[]> {
  const { id } = await requireOwnPetition(ctx, caller, ref);
  const rows = await queries.listResponses(ctx.db, id, 'submitted', null, limit);
  return presentAll(ctx, rows);
}

/** Publishes a response to the caller's petition. */
export async function publishResponse(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<RenderedResponse> {
  const [response] = await queries.findResponses(ctx.db, [id]);
  if (!response || !canSeeResponse(response, caller)) throw notFound('response');
  const petition = await requireOwnPetition(ctx, caller, response.petition_id);
  return transaction(ctx.db, async (tx) => {
    await lockOwnPetition(tx, caller, petition.id);
    if (!(await queries.publishResponse(tx, id))) {
      throw conflict('already_published', 'The response is published already.');
    }
    await emit(tx, {
      type: 'response.published',
      petitionId: petition.id,
      actor: userActor(caller),
      data: { response_id: id },
    });
    const [published] = await queries.findResponses(tx, [id]);
    return presentSingleResponse(ctx, published!, null);
  });
}

/** Publishes responses that creators have not published within the time `publishAfterMs`. */
export async function publishDueResponses(ctx: Context): Promise<void> {
  const time = new Date(ctx.now().getTime() - publishAfterMs);
  for (let published = batchSize; published === batchSize;) {
    published = await transaction(ctx.db, async (tx) => {
      const due = await queries.publishResponsesBefore(tx, time, batchSize);
      for (const { id, petition_id: petitionId } of due) {
        const data = { response_id: id };
        await emit(tx, { type: 'response.published', petitionId, actor: systemActor, data });
      }
      return due.length;
    });
  }
}

/** Returns responses as the API shows them, for event data. */
export async function responsesForEvents(db: Db, ids: string[]): Promise<DecisionMakerResponse[]> {
  const [rows, opinions] = [await queries.findResponses(db, ids), await countSums(db, ids)];
  return rows.map((row) => presentResponse(row, opinions.get(row.id) ?? null));
}

/** Converts rows to entries of a list, with what signers think of each. */
async function presentAll(ctx: Context, rows: ResponseRow[]): Promise<DecisionMakerResponse[]> {
  const opinions = await sumsOfOpinions(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => presentResponse(row, opinions.get(row.id) ?? null));
}

/** As `presentSingleResponse`, with what signers think of it. */
export async function presentWithOpinions(
  ctx: Context,
  row: ResponseRow,
): Promise<RenderedResponse> {
  const opinions = await sumsOfOpinions(ctx, [row.id]);
  return presentSingleResponse(ctx, row, opinions.get(row.id) ?? null);
}

/** Converts a row to the answer of a single read. */
export const presentSingleResponse = (
  ctx: Context,
  row: ResponseRow,
  opinions: OpinionSums,
): RenderedResponse => ({
  ...presentResponse(row, opinions),
  body_html: renderMarkdown(row.body, ctx.config).text,
});

const presentResponse = (row: ResponseRow, opinions: OpinionSums): DecisionMakerResponse => ({
  id: row.id,
  petition_id: row.petition_id,
  decision_maker: row.decision_maker,
  answered_from: row.answered_from,
  vouched_by: row.vouched_by,
  body: row.body,
  status: row.status,
  not_responsible: row.not_responsible,
  responsible: row.responsible,
  state: row.published_at ? 'published' : 'submitted',
  opinions,
  created_at: row.created_at,
  published_at: row.published_at,
});

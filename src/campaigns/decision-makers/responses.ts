import type { Context } from '../../platform/context.ts';
import { pageById, type Page } from '../../platform/cursor.ts';
import { transaction, type Db } from '../../platform/db.ts';
import { emit, systemActor, userActor } from '../../platform/events.ts';
import type { Caller } from '../../platform/http/route.ts';
import { renderMarkdown } from '../../platform/markdown/markdown.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { isCreator } from '../petitions/policy.ts';
import { requireOwnPetition, requireReadablePetition } from '../petitions/read.ts';
import { canSeeResponse, publishAfterMs } from './policy.ts';
import * as queries from './response-queries.ts';
import type { ResponseRow } from './response-queries.ts';
import type { DecisionMakerResponse, RenderedResponse } from './schema.ts';

/** Responses that are published in one transaction. */
const batchSize = 100;

interface ListQuery {
  access_code?: string;
  cursor?: string;
  limit?: number;
}

/** Returns a page of published responses to a petition, of all for its creator, newest first. */
export async function listResponses(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  { access_code: code, ...page }: ListQuery,
): Promise<Page<DecisionMakerResponse>> {
  const petition = await requireReadablePetition(ctx, caller, ref, code);
  const scope = isCreator(petition, caller) ? 'all' : 'published';
  return pageById(
    'responses',
    page,
    (before, count) => queries.listResponses(ctx.db, petition.id, scope, before, count),
    presentResponse,
  );
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
    return presentSingleResponse(ctx, published!);
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
  return (await queries.findResponses(db, ids)).map(presentResponse);
}

/** Converts a row to the answer of a single read. */
export const presentSingleResponse = (ctx: Context, row: ResponseRow): RenderedResponse => ({
  ...presentResponse(row),
  body_html: renderMarkdown(row.body, ctx.config).text,
});

const presentResponse = (row: ResponseRow): DecisionMakerResponse => ({
  id: row.id,
  petition_id: row.petition_id,
  decision_maker: row.decision_maker,
  answered_from: row.answered_from,
  vouched_by: row.vouched_by,
  body: row.body,
  status: row.status,
  state: row.published_at ? 'published' : 'submitted',
  created_at: row.created_at,
  published_at: row.published_at,
});

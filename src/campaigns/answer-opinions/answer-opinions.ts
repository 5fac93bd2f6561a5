import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { forbidden, notFound } from '../../platform/problems.ts';
import { requireReadablePetition } from '../petitions/read.ts';
import * as queries from './queries.ts';
import { minShownOpinions, type Opinion, type OpinionSums } from './schema.ts';

interface AnswerRef {
  /** Id of the response. */
  id: string;
  /** Access code of a private petition. */
  code?: string | undefined;
}

const group = 'answer-opinions';

/**
 * Stores what the caller thinks of a response to a petition that they have signed, instead of what they thought before.
 * @throws {Problem} not-found if it is not published; forbidden without a counted signature; as `requireReadablePetition`
 */
export async function giveOpinion(
  ctx: Context,
  caller: Caller,
  ref: AnswerRef,
  opinion: Opinion,
): Promise<void> {
  const petitionId = await requireAnswer(ctx, caller, ref);
  const { userId } = caller;
  if (!(await queries.putOpinion(ctx.db, { responseId: ref.id, petitionId, userId, opinion }))) {
    throw forbidden('This is for people whose signature of the petition counts.', 'not_a_signer');
  }
  ctx.cache.drop(group, ref.id);
}

/**
 * Deletes it, also where the caller cannot read the petition any more. Does nothing if there is none.
 * @throws {Problem} as `giveOpinion`, if there is none
 */
export async function withdrawOpinion(ctx: Context, caller: Caller, ref: AnswerRef): Promise<void> {
  const { userId } = caller;
  if (await queries.deleteOpinion(ctx.db, { responseId: ref.id, userId })) {
    ctx.cache.drop(group, ref.id);
    return;
  }
  await requireAnswer(ctx, caller, ref);
}

/** Returns the petition of a published response that the caller can read. */
async function requireAnswer(ctx: Context, caller: Caller, { id, code }: AnswerRef) {
  const answer = await queries.findAnsweredPetition(ctx.db, id);
  if (!answer) throw notFound('response');
  return (await requireReadablePetition(ctx, caller, answer.petition_id, code)).id;
}

/** What a signer thinks, by the ids of the responses. */
export type OwnOpinions = ReadonlyMap<string, Opinion>;

/** Returns what the user thinks of responses to a petition; undefined if they have no counted signature of it. */
export async function findOwnOpinions(
  ctx: Context,
  petitionId: string,
  userId: string,
): Promise<OwnOpinions | undefined> {
  const found = await queries.findOwnOpinions(ctx.db, petitionId, userId);
  return found && new Map(Object.entries(found.own));
}

/** More opinions than these are counted once a minute, and fewer once a second. */
const manyOpinions = 10_000;

/** Returns what signers think of each response, as everybody sees it. */
export async function sumsOfOpinions(
  ctx: Context,
  responseIds: readonly string[],
): Promise<Map<string, OpinionSums>> {
  const sums = await Promise.all(
    responseIds.map((id) =>
      ctx.cache.read(group, id, () =>
        ctx.estimates.read(
          group,
          id,
          async () => (await countSums(ctx.db, [id])).get(id) ?? null,
          (counted) => (counted?.total ?? 0) > manyOpinions,
        ),
      ),
    ),
  );
  return new Map(responseIds.map((id, index) => [id, sums[index]!]));
}

/** Counts what signers think of responses. Those with too few opinions to be shown are left out. */
export async function countSums(
  db: Db,
  responseIds: string[],
): Promise<Map<string, NonNullable<OpinionSums>>> {
  const rows = await queries.countOpinions(db, responseIds);
  return new Map(
    rows
      .map(({ response_id: id, answers, partly, not }) => {
        const total = answers + partly + not;
        return [id, { answers, partly, not, total }] as const;
      })
      .filter(([, { total }]) => total >= minShownOpinions),
  );
}

import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { notFound } from '../../platform/problems.ts';
import { makerAlreadyAdded, tooManyMakers } from '../decision-makers/decision-makers.ts';
import {
  maxDecisionMakers,
  type DecisionMakerInput,
  type PetitionInput,
} from '../petitions/schema.ts';
import { createPetition } from '../petitions/write.ts';
import * as queries from './queries.ts';

const draftQuota: Quota = { name: 'anonymous-draft', points: 10, durationSeconds: 86_400 };

/** What a stranger has written of a petition. */
export interface DraftContent extends Omit<PetitionInput, 'decisionMakers'> {
  makers: DraftMaker[];
  /** The name for the account that the writer asked to open. */
  creatorName?: string;
}

export type DraftMaker = DecisionMakerInput & { id: string };

/** A draft of the browser that has the token. */
export interface DraftRef {
  id: string;
  /** From the browser's cookie. */
  token: string;
}

/** Returns what was written; undefined if the browser has no such draft. */
export async function findAnonymousDraft(
  ctx: Context,
  ref: DraftRef,
): Promise<DraftContent | undefined> {
  const row = await queries.findDraft(ctx.db, keyOf(ctx, ref));
  return row && contentOf(ctx, row, ref.token);
}

/** Returns the drafts of a browser, the newest first. */
export async function listAnonymousDrafts(
  ctx: Context,
  token: string,
): Promise<(DraftContent & { id: string })[]> {
  const rows = await queries.listDrafts(ctx.db, keyOf(ctx, { id: '', token }).tokenHash);
  return rows.map((row) => ({ ...contentOf(ctx, row, token), id: row.id }));
}

/**
 * Stores a draft under an id that its form has chosen. A form that is sent twice at once makes one draft.
 * @throws {Problem} rate-limited for too many drafts of a network; not-found if the id is another browser's
 */
export async function createAnonymousDraft(
  ctx: Context,
  ref: DraftRef,
  { ip, content }: { ip: string; content: DraftContent },
): Promise<void> {
  const message = 'Too many drafts without an account. Log in to go on.';
  await ctx.limits.take(draftQuota, networkOf(ip), message);
  const row = { ...keyOf(ctx, ref), content: sealed(ctx, content, ref.token) };
  if (!(await queries.insertDraft(ctx.db, row)))
    await changeAnonymousDraft(ctx, ref, () => content);
}

/** @throws {Problem} not-found; whatever `change` throws */
export async function changeAnonymousDraft(
  ctx: Context,
  ref: DraftRef,
  change: (content: DraftContent) => DraftContent,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const row = await queries.lockDraft(tx, keyOf(ctx, ref));
    if (!row) throw notFound('draft');
    const content = change(contentOf(ctx, row, ref.token));
    await queries.updateDraft(tx, { id: row.id, content: sealed(ctx, content, ref.token) });
  });
}

/**
 * Adds a decision maker.
 * @throws {Problem} conflict if there are too many, or the address is in the list
 */
export function withMaker(content: DraftContent, maker: DecisionMakerInput): DraftContent {
  const { makers } = content;
  if (makers.length >= maxDecisionMakers) throw tooManyMakers();
  const address = maker.email.toLowerCase();
  if (makers.some(({ email }) => email.toLowerCase() === address)) {
    throw makerAlreadyAdded();
  }
  return { ...content, makers: [...makers, { ...maker, id: newId() }] };
}

/**
 * Makes the draft a petition of the caller, with the same id. Returns false if the browser has no such draft, or it was
 * claimed before.
 * @throws {Problem} as `createPetition`; then the draft stays
 */
export async function claimAnonymousDraft(
  ctx: Context,
  caller: Caller,
  ref: DraftRef,
): Promise<boolean> {
  return transaction(ctx.db, async (tx) => {
    const row = await queries.takeDraft(tx, keyOf(ctx, ref));
    if (!row) return false;
    const { makers, creatorName: _, ...input } = contentOf(ctx, row, ref.token);
    const decisionMakers = makers.map(({ id: _id, ...maker }) => maker);
    await createPetition({ ...ctx, db: tx }, caller, { ...input, decisionMakers }, row.id);
    return true;
  });
}

export const deleteAnonymousDraft = (ctx: Context, ref: DraftRef): Promise<void> =>
  queries.deleteDraft(ctx.db, keyOf(ctx, ref));

const keyOf = ({ keys }: Context, { id, token }: DraftRef) => ({
  id,
  tokenHash: keys.hash('anonymous-draft', token),
});

const sealed = ({ keys }: Context, content: DraftContent, token: string): Buffer =>
  keys.seal('anonymous-draft', JSON.stringify(content), token);

const contentOf = ({ keys }: Context, { content }: queries.DraftRow, token: string): DraftContent =>
  JSON.parse(keys.unseal('anonymous-draft', content, token)) as DraftContent;

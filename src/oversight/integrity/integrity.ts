import { readablePetition, type PetitionRow } from '../../campaigns/petitions/petitions.ts';
import { restoreMilestones } from '../../campaigns/signatures/signatures.ts';
import { recordAct } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { againAfterDeadlock, isUniqueViolation, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { scheduleWork } from './jobs.ts';
import * as queries from './queries.ts';
import type { InvalidationRow } from './queries.ts';
import { summarizeMatches } from './rule-queries.ts';
import { keepRule } from './rules.ts';
import type {
  Invalidation,
  InvalidationInput,
  InvalidationPreview,
  InvalidationRule,
} from './schema.ts';

export { integrityReport } from './report.ts';

/** What a rule would do to a petition, without doing it. */
export async function previewInvalidation(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: InvalidationRule,
): Promise<InvalidationPreview> {
  const { id } = await readablePetition(ctx, caller, ref, undefined);
  const rule = await keepRule(ctx, id, input);
  const found = await summarizeMatches(ctx.db, id, { ...rule, created_at: null });
  const { matched, valid, signature_count, milestones, sample } = found;
  return {
    matched,
    share: valid > 0 ? matched / valid : 0,
    signature_count_after: signature_count - matched,
    milestones,
    sample,
  };
}

/**
 * Makes a rule and lets a job invalidate what meets it; of a petition one rule at a time.
 * @throws {Problem} conflict where another is being applied or undone
 */
export async function invalidate(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: InvalidationInput,
): Promise<Invalidation> {
  const petition = await readablePetition(ctx, caller, ref, undefined);
  const { id: petitionId } = petition;
  const rule = await keepRule(ctx, petitionId, input.rule);
  const asOfNow = { ...rule, created_at: null };
  const { matched } = await summarizeMatches(ctx.db, petitionId, asOfNow);
  return oneAtATime(ctx, async (tx) => {
    const row = await queries.insertInvalidation(tx, {
      id: newId(),
      petition_id: petitionId,
      ...rule,
      reason: input.reason.trim(),
      about: petition.creator_id,
      matched,
      created_by: caller.userId,
    });
    await recordAct(tx, { ...actOn(petition, row, caller), action: 'signatures.invalidate' });
    await scheduleWork(tx, row.id);
    return present(row);
  });
}

/**
 * Lets a job make valid again what a rule has invalidated, but for what another rule is about. One that
 * is still being applied goes no further.
 * @throws {Problem} conflict where it was undone already, or another rule is at work
 */
export async function undoInvalidation(
  ctx: Context,
  caller: Caller,
  ref: string,
  id: string,
): Promise<Invalidation> {
  const { petition } = await invalidationOf(ctx, caller, ref, id);
  return oneAtATime(ctx, async (tx) => {
    // This locks the petition, which comes before the rule.
    await restoreMilestones(tx, petition.id);
    const row = await queries.beginUndoing(tx, id, caller.userId);
    if (!row) throw conflict('invalid_state', 'This was undone already.');
    await recordAct(tx, { ...actOn(petition, row, caller), action: 'signatures.restore' });
    await scheduleWork(tx, row.id);
    return present(row);
  });
}

/** @throws {Problem} conflict where another rule of the petition is at work */
async function oneAtATime<T>({ db }: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await againAfterDeadlock(() => transaction(db, work));
  } catch (error) {
    if (!isUniqueViolation(error, queries.oneAtATime)) throw error;
    throw conflict(
      'invalidation_under_way',
      'Another rule of this petition is being applied or undone. Wait until that has ended.',
    );
  }
}

const actOn = (petition: PetitionRow, row: InvalidationRow, caller: Caller) => ({
  actorId: caller.userId,
  targetType: 'petition',
  targetId: petition.id,
  // The rule stands with the invalidation; it may hold a domain that names a person.
  details: { invalidation_id: row.id, matched: row.matched },
  reason: row.reason === null ? undefined : { text: row.reason, about: petition.creator_id },
});

/** The rules of a petition, newest first. */
export async function listInvalidations(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<Invalidation>> {
  const { id } = await readablePetition(ctx, caller, ref, undefined);
  return pageById(
    'invalidations',
    query,
    (before, count) => queries.listInvalidations(ctx.db, id, before, count),
    present,
  );
}

export async function getInvalidation(
  ctx: Context,
  caller: Caller,
  ref: string,
  id: string,
): Promise<Invalidation> {
  const { row } = await invalidationOf(ctx, caller, ref, id);
  return present(row);
}

/** @throws {Problem} not-found where the petition has no such rule */
async function invalidationOf(
  ctx: Context,
  caller: Caller,
  ref: string,
  id: string,
): Promise<{ petition: PetitionRow; row: InvalidationRow }> {
  const petition = await readablePetition(ctx, caller, ref, undefined);
  const row = await queries.findInvalidation(ctx.db, id);
  if (row?.petition_id !== petition.id) throw notFound('invalidation');
  return { petition, row };
}

const present = (row: InvalidationRow): Invalidation => ({
  id: row.id,
  petition_id: row.petition_id,
  rule: {
    ...(row.network && { network: row.network }),
    ...(row.country && { country: row.country }),
    ...(row.domain && { domain: row.domain }),
    ...(row.disposable && { disposable: true }),
    ...(row.signed_from && { from: row.signed_from.toISOString() }),
    ...(row.signed_until && { until: row.signed_until.toISOString() }),
  },
  reason: row.reason,
  state: row.state,
  matched: row.matched,
  invalidated: row.invalidated,
  restored: row.restored,
  created_by: row.created_by,
  created_at: row.created_at,
  applied_at: row.applied_at,
  undone_by: row.undone_by,
  undone_at: row.undone_at,
});

import { requireReadablePetition, type PetitionRow } from '../../campaigns/petitions/read.ts';
import { restoreMilestones } from '../../campaigns/signatures/signatures.ts';
import { recordAdminAction } from '../../platform/audit.ts';
import type { Context } from '../../platform/context.ts';
import { pageById, type Page, type PageQuery } from '../../platform/cursor.ts';
import { retryOnDeadlock, isUniqueViolation, transaction, type Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, notFound } from '../../platform/problems.ts';
import { scheduleWork } from './jobs.ts';
import * as queries from './queries.ts';
import type { InvalidationRow } from './queries.ts';
import { summarizeMatches } from './rule-queries.ts';
import { conditionsOf, resolveRule } from './rules.ts';
import type {
  Invalidation,
  InvalidationInput,
  InvalidationPreview,
  InvalidationRule,
} from './schema.ts';

export { integrityReport } from './report.ts';
export { restoreSignature } from './restoring.ts';

/** Returns what a rule would do to a petition. */
export async function previewInvalidation(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: InvalidationRule,
): Promise<InvalidationPreview> {
  const { id } = await requireReadablePetition(ctx, caller, ref, undefined);
  const rule = await resolveRule(ctx, id, input);
  const found = await summarizeMatches(ctx.db, conditionsOf(ctx.keys, id, rule));
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
 * Stores a rule, and adds a job that invalidates the signatures that match it.
 * @throws {Problem} conflict if another rule of the petition is being applied or undone
 */
export async function invalidateSignatures(
  ctx: Context,
  caller: Caller,
  ref: string,
  input: InvalidationInput,
): Promise<Invalidation> {
  const petition = await requireReadablePetition(ctx, caller, ref, undefined);
  const { id: petitionId } = petition;
  const rule = await resolveRule(ctx, petitionId, input.rule);
  const { matched } = await summarizeMatches(ctx.db, conditionsOf(ctx.keys, petitionId, rule));
  return withoutConcurrentRule(ctx, async (tx) => {
    const row = await queries.insertInvalidation(tx, {
      id: newId(),
      petition_id: petitionId,
      ...rule,
      reason: input.reason.trim(),
      about: petition.creator_id,
      matched,
      created_by: caller.userId,
    });
    await recordAdminAction(tx, {
      ...auditEntry(petition, row, caller),
      action: 'signatures.invalidate',
    });
    await scheduleWork(tx, row.id);
    return present(row);
  });
}

/**
 * Adds a job that restores the signatures that a rule has invalidated, except those that match another rule.
 * Stops a rule that is still being applied.
 * @throws {Problem} conflict if it was undone before, or another rule is being applied or undone
 */
export async function undoInvalidation(
  ctx: Context,
  caller: Caller,
  ref: string,
  id: string,
): Promise<Invalidation> {
  const { petition } = await requireInvalidation(ctx, caller, ref, id);
  return withoutConcurrentRule(ctx, async (tx) => {
    // Locks the petition, which must be locked before the rule.
    await restoreMilestones(tx, petition.id);
    const row = await queries.startUndoing(tx, id, caller.userId);
    if (!row) throw conflict('invalid_state', 'This was undone already.');
    await recordAdminAction(tx, {
      ...auditEntry(petition, row, caller),
      action: 'signatures.restore',
    });
    await scheduleWork(tx, row.id);
    return present(row);
  });
}

/** @throws {Problem} conflict if another rule of the petition is being applied or undone */
async function withoutConcurrentRule<T>({ db }: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await retryOnDeadlock(() => transaction(db, work));
  } catch (error) {
    if (!isUniqueViolation(error, queries.oneRuleAtATimeIndex)) throw error;
    throw conflict(
      'invalidation_under_way',
      'Another rule of this petition is being applied or undone. Wait until that has ended.',
    );
  }
}

const auditEntry = (petition: PetitionRow, row: InvalidationRow, caller: Caller) => ({
  actorId: caller.userId,
  targetType: 'petition',
  targetId: petition.id,
  // Omits the rule, whose domain may identify a person. The invalidation has it.
  details: { invalidation_id: row.id, matched: row.matched },
  reason: row.reason === null ? undefined : { text: row.reason, about: petition.creator_id },
});

/** Returns a page of the rules of a petition, newest first. */
export async function listInvalidations(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: PageQuery,
): Promise<Page<Invalidation>> {
  const { id } = await requireReadablePetition(ctx, caller, ref, undefined);
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
  const { row } = await requireInvalidation(ctx, caller, ref, id);
  return present(row);
}

/** @throws {Problem} not-found */
async function requireInvalidation(
  ctx: Context,
  caller: Caller,
  ref: string,
  id: string,
): Promise<{ petition: PetitionRow; row: InvalidationRow }> {
  const petition = await requireReadablePetition(ctx, caller, ref, undefined);
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

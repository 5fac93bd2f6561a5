import { evictPetitions } from '../../campaigns/petitions/cache.ts';
import {
  forgetWithdrawnSignatures,
  changeValidity,
  voidMilestones,
} from '../../campaigns/signatures/signatures.ts';
import type { Context } from '../../platform/context.ts';
import { retryOnDeadlock, transaction, type Db, type Tx } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import { addJob } from '../../platform/jobs.ts';
import * as queries from './queries.ts';
import type { InvalidationRow } from './queries.ts';
import { dropCachedReport } from './report.ts';
import { findInvalidated, findMatches } from './rule-queries.ts';
import { conditionsOf } from './rules.ts';
import { scheduleNotifying } from './notifying.ts';

/**
 * Signatures per transaction, which blocks signing of the petition. The statement took 17 ms on a petition
 * with 1,000,000 signatures, on 2 busy cores.
 */
const batchSize = 500;
/** After this time a job hands over to a new one, so that other jobs can run. */
const maxJobMs = 2_000;

/** Adds a job that applies or undoes a rule. */
export const scheduleWork = (db: Db, id: string): Promise<void> =>
  addJob(db, 'work-on-invalidation', { id }, { key: `invalidation:${id}` });

/** Applies or undoes a rule in batches, from where the previous job stopped. */
export async function workOnInvalidation(ctx: Context, id: string): Promise<void> {
  const deadline = Date.now() + maxJobMs;
  while (Date.now() < deadline) {
    const rule = await queries.findInvalidation(ctx.db, id);
    if (rule?.state === 'applying') await applyBatch(ctx, rule);
    else if (rule?.state === 'undoing') await undoBatch(ctx, rule);
    else return;
  }
  await scheduleWork(ctx.db, id);
}

/** Finds matches before it locks the petition, and checks them again under the lock. */
async function applyBatch(ctx: Context, rule: InvalidationRow): Promise<void> {
  const { id, petition_id: petitionId, number } = rule;
  const conditions = conditionsOf(ctx.keys, petitionId, rule);
  const found = await findMatches(ctx.db, conditions, rule.looked_at, batchSize);
  const { ids, last: lookedAt, ended } = found;
  if (ids.length === 0 && !ended) {
    await queries.saveApplyProgress(ctx.db, id, { lookedAt, moved: 0, ended });
    return;
  }
  const apply = async (tx: Tx) => {
    const { moved, signatureCount, cells, signatures } = await changeValidity(tx, {
      petitionId,
      ids,
      from: null,
      to: number,
    });
    if (ended) await voidMilestones(tx, petitionId);
    if (moved > 0 || ended) {
      await emit(tx, {
        type: 'signature.invalidated',
        petitionId,
        actor: { type: 'admin', id: rule.created_by },
        data: { rule_id: id, count: moved, signature_count: signatureCount, ended },
        parts: cells,
        items: signatures,
      });
    }
    if (ended) await scheduleNotifying(tx, id);
    if (!(await queries.saveApplyProgress(tx, id, { lookedAt, moved, ended })))
      throw new RuleStateChanged();
  };
  await inOneTransaction(ctx, apply);
  evictPetitions(ctx, [petitionId]);
  dropCachedReport(ctx, petitionId);
}

/** Hands signatures that match another applied rule over to that rule. */
async function undoBatch(ctx: Context, rule: InvalidationRow): Promise<void> {
  const { id, petition_id: petitionId, number } = rule;
  const otherRules = await queries.findAppliedRules(ctx.db, petitionId);
  const others = otherRules.map((other) => ({
    ...conditionsOf(ctx.keys, petitionId, other),
    number: other.number,
  }));
  const invalidSignatures = await findInvalidated(
    ctx.db,
    petitionId,
    rule,
    others,
    rule.looked_at,
    batchSize,
  );
  const lookedAt = invalidSignatures.at(-1)?.id ?? null;
  const ended = invalidSignatures.length < batchSize;
  const undo = async (tx: Tx) => {
    const moveTo = (otherRule: number | null) => {
      const ids = invalidSignatures
        .filter((one) => one.nextRule === otherRule)
        .map((one) => one.id);
      return changeValidity(tx, { petitionId, ids, from: number, to: otherRule });
    };
    const { moved: restored, signatureCount, cells, signatures } = await moveTo(null);
    let moved = restored;
    for (const otherRule of new Set(invalidSignatures.flatMap((one) => one.nextRule ?? []))) {
      const inherited = await moveTo(otherRule);
      await queries.addInherited(tx, otherRule, inherited.moved);
      moved += inherited.moved;
    }
    if (ended) {
      await voidMilestones(tx, petitionId);
      await forgetWithdrawnSignatures(tx, number);
    }
    if (restored > 0 || ended) {
      await emit(tx, {
        type: 'signature.restored',
        petitionId,
        actor: { type: 'admin', id: rule.undone_by },
        data: { rule_id: id, count: restored, signature_count: signatureCount, ended },
        parts: cells,
        items: signatures,
      });
    }
    if (!(await queries.saveUndoProgress(tx, id, { lookedAt, moved, ended })))
      throw new RuleStateChanged();
  };
  await inOneTransaction(ctx, undo);
  evictPetitions(ctx, [petitionId]);
  dropCachedReport(ctx, petitionId);
}

/** Rolls back a batch if the rule's state has changed since the batch was started. */
class RuleStateChanged extends Error {}

async function inOneTransaction({ db }: Context, work: (tx: Tx) => Promise<void>): Promise<void> {
  try {
    await retryOnDeadlock(() => transaction(db, work));
  } catch (error) {
    if (!(error instanceof RuleStateChanged)) throw error;
  }
}

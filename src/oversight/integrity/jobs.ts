import { forgetPetitions } from '../../campaigns/petitions/petitions.ts';
import {
  forgetWithdrawnSignatures,
  changeValidity,
  voidMilestones,
} from '../../campaigns/signatures/signatures.ts';
import type { Context } from '../../platform/context.ts';
import { againAfterDeadlock, transaction, type Db, type Tx } from '../../platform/db.ts';
import { emit } from '../../platform/events.ts';
import { addJob } from '../../platform/jobs.ts';
import * as queries from './queries.ts';
import type { InvalidationRow } from './queries.ts';
import { forgetReport } from './report.ts';
import { findHeld, findMatches } from './rule-queries.ts';
import { scheduleNotifying } from './notifying.ts';

/**
 * Signatures that one transaction moves. While it runs, nobody can sign the petition: the statement took
 * 17 ms of a petition with 1,000,000, on a machine whose two cores were busy with other things.
 */
const batchSize = 500;
/** A job that has run for so long leaves the rest to the next, so that others get their turn. */
const turnMilliseconds = 2_000;

/** Lets a worker apply or undo a rule. */
export const scheduleWork = (db: Db, id: string): Promise<void> =>
  addJob(db, 'work-on-invalidation', { id }, { key: `invalidation:${id}` });

/** Applies or undoes a rule, batch after batch from where it has come to, whoever was at it before. */
export async function workOnInvalidation(ctx: Context, id: string): Promise<void> {
  const end = Date.now() + turnMilliseconds;
  while (Date.now() < end) {
    const rule = await queries.findInvalidation(ctx.db, id);
    if (rule?.state === 'applying') await applyBatch(ctx, rule);
    else if (rule?.state === 'undoing') await undoBatch(ctx, rule);
    else return;
  }
  await scheduleWork(ctx.db, id);
}

/** What is to be moved is looked for before the petition is locked, and judged anew under the lock. */
async function applyBatch(ctx: Context, rule: InvalidationRow): Promise<void> {
  const { id, petition_id: petitionId, number } = rule;
  const found = await findMatches(ctx.db, petitionId, rule, rule.looked_at, batchSize);
  const { ids, last: lookedAt, ended } = found;
  if (ids.length === 0 && !ended) {
    await queries.noteApplied(ctx.db, id, { lookedAt, moved: 0, ended });
    return;
  }
  const apply = async (tx: Tx) => {
    const { moved, signatureCount, cells } = await changeValidity(tx, {
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
      });
    }
    if (ended) await scheduleNotifying(tx, id);
    if (!(await queries.noteApplied(tx, id, { lookedAt, moved, ended }))) throw new Overtaken();
  };
  await inOneTransaction(ctx, apply);
  forgetPetitions(ctx, [petitionId]);
  forgetReport(ctx, petitionId);
}

/** Signatures that another standing rule is about are that one's from now on. */
async function undoBatch(ctx: Context, rule: InvalidationRow): Promise<void> {
  const { id, petition_id: petitionId, number } = rule;
  const others = await queries.appliedTo(ctx.db, petitionId);
  const held = await findHeld(ctx.db, petitionId, rule, others, rule.looked_at, batchSize);
  const lookedAt = held.at(-1)?.id ?? null;
  const ended = held.length < batchSize;
  const undo = async (tx: Tx) => {
    const take = (heir: number | null) => {
      const ids = held.filter((one) => one.heir === heir).map((one) => one.id);
      return changeValidity(tx, { petitionId, ids, from: number, to: heir });
    };
    const { moved: restored, signatureCount, cells } = await take(null);
    let moved = restored;
    for (const heir of new Set(held.flatMap((one) => one.heir ?? []))) {
      const inherited = await take(heir);
      await queries.noteInherited(tx, heir, inherited.moved);
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
      });
    }
    if (!(await queries.noteUndone(tx, id, { lookedAt, moved, ended }))) throw new Overtaken();
  };
  await inOneTransaction(ctx, undo);
  forgetPetitions(ctx, [petitionId]);
  forgetReport(ctx, petitionId);
}

/** A batch that comes to nothing, since the rule has left the state in which it was begun. */
class Overtaken extends Error {}

async function inOneTransaction({ db }: Context, work: (tx: Tx) => Promise<void>): Promise<void> {
  try {
    await againAfterDeadlock(() => transaction(db, work));
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
}

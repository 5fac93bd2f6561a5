import type { Tx } from '../../platform/db.ts';
import { emit, systemActor } from '../../platform/events.ts';
import { hasOtherOpenReport, insertReport, type NewReport } from './queries.ts';
import type { Report } from './schema.ts';

/**
 * Stores a report, or returns the reporter's open one on the same target. Moderators are notified of the first open
 * report of a target only.
 */
export async function storeReport(tx: Tx, report: NewReport): Promise<Report> {
  const stored = await insertReport(tx, report);
  const isNew = stored.id === report.id;
  if (isNew && !(await hasOtherOpenReport(tx, report.target, stored.id))) {
    await emitQueued(tx, 'report');
  }
  return stored;
}

/** Stores the event that something new waits for moderators, without who caused it. */
export const emitQueued = (tx: Tx, kind: 'report' | 'complaint'): Promise<void> =>
  emit(tx, { type: 'moderation.queued', petitionId: null, actor: systemActor, data: { kind } });

import { everyFurther, milestoneCounts } from '../../campaigns/signatures/milestones.ts';
import type { Check } from './check.ts';
import type { MilestoneEvent } from './event-queries.ts';
import type { MilestoneRow, PetitionRow } from './petition-queries.ts';

/** What is known of the milestones of one petition. */
export interface Milestones {
  petition: PetitionRow;
  rows: MilestoneRow[];
  /** Of its log, as far as it is kept, oldest first. */
  events: MilestoneEvent[];
  /** From when on its events are kept. */
  since: Date;
  /** Signatures that were made valid again have raised its count past thresholds, which reaches none. */
  restored: boolean;
}

/** Milestones have one event each, and no threshold that the count has passed is without one. */
export function checkMilestones(milestones: Milestones, check: Check): void {
  const { petition, rows, events } = milestones;
  check.saw(rows.length);
  const wrong = [...compareWithEvents(milestones), ...missing(milestones)];
  for (const { threshold } of rows) {
    if (threshold <= petition.imported_signature_count) {
      wrong.push(`${threshold} is not above what was imported`);
    }
  }
  for (const one of wrong) check.found(`petition ${petition.id}: ${one}`);
  if (rows.length === 0) check.saw(events.filter(isReached).length);
}

const isReached = ({ type }: MilestoneEvent) => type === 'signature.milestone';

/** Of those since events are kept, each has one event, and each event has one. */
function compareWithEvents({ rows, events, since }: Milestones): string[] {
  const told = new Map<string, number>();
  for (const { threshold, signature_id, created_at } of events.filter(isReached)) {
    if (created_at < since) continue;
    const key = `${threshold} by signature ${signature_id}`;
    told.set(key, (told.get(key) ?? 0) + 1);
  }
  const wrong: string[] = [];
  for (const { threshold, signature_id, reached_at } of rows) {
    if (reached_at < since) continue;
    const key = `${threshold} by signature ${signature_id}`;
    const times = told.get(key) ?? 0;
    if (times === 0) wrong.push(`${key} was never told`);
    if (times > 1) wrong.push(`${key} was told ${times} times`);
    told.delete(key);
  }
  for (const key of told.keys()) wrong.push(`${key} was told and is not stored`);
  return wrong;
}

/** Thresholds above what was imported and not above the count that nothing was stored for. */
function missing({ petition, rows, events, restored }: Milestones): string[] {
  if (restored) return [];
  const { signature_count: count, imported_signature_count: imported } = petition;
  const reached = new Set(rows.map(({ threshold }) => threshold));
  const due = [...thresholdsUpTo(count), ...goalSince(petition, events)];
  return [...new Set(due)]
    .filter((threshold) => threshold > imported && threshold <= count && !reached.has(threshold))
    .map((threshold) => `${threshold} was passed and is not stored`);
}

function thresholdsUpTo(count: number): number[] {
  const further = Array.from(
    { length: Math.floor(count / everyFurther) },
    (_, index) => (index + 1) * everyFurther,
  );
  return [...milestoneCounts.filter((one) => one <= count), ...further];
}

/** The goal, where the log says that it has stood since before anybody could sign. */
function goalSince({ signature_goal: goal }: PetitionRow, events: MilestoneEvent[]): number[] {
  const published = events.findIndex(({ type }) => type === 'petition.published');
  const changed = events.findLastIndex(({ type }) => type === 'goal.changed');
  return goal !== null && published >= 0 && changed < published ? [goal] : [];
}

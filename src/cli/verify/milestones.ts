import { milestoneStep, milestoneCounts } from '../../campaigns/signatures/milestones.ts';
import type { Check } from './check.ts';
import type { MilestoneEvent } from './event-queries.ts';
import type { MilestoneRow, PetitionRow } from './petition-queries.ts';

/** The milestones and related events of one petition. */
export interface Milestones {
  petition: PetitionRow;
  rows: MilestoneRow[];
  /** Events of its log, as far as it is kept, oldest first. */
  events: MilestoneEvent[];
  /** Its events are kept since then. */
  since: Date;
  /** Whether restored signatures have raised its count, which reaches no milestones. */
  restored: boolean;
}

/** Checks that each milestone has one event, and each threshold that the count has passed has a milestone. */
export function checkMilestones(milestones: Milestones, check: Check): void {
  const { petition, rows, events } = milestones;
  check.addChecked(rows.length);
  const wrong = [...compareWithEvents(milestones), ...missing(milestones)];
  for (const { threshold } of rows) {
    if (threshold <= petition.imported_signature_count) {
      wrong.push(`${threshold} is not above what was imported`);
    }
  }
  for (const one of wrong) check.addWrong(`petition ${petition.id}: ${one}`);
  if (rows.length === 0) check.addChecked(events.filter(isReached).length);
}

const isReached = ({ type }: MilestoneEvent) => type === 'signature.milestone';

/** Compares milestones with events, as far as events are kept. */
function compareWithEvents({ rows, events, since }: Milestones): string[] {
  const eventCounts = new Map<string, number>();
  for (const { threshold, signature_id, created_at } of events.filter(isReached)) {
    if (created_at < since) continue;
    const key = `${threshold} by signature ${signature_id}`;
    eventCounts.set(key, (eventCounts.get(key) ?? 0) + 1);
  }
  const wrong: string[] = [];
  for (const { threshold, signature_id, reached_at } of rows) {
    if (reached_at < since) continue;
    const key = `${threshold} by signature ${signature_id}`;
    const times = eventCounts.get(key) ?? 0;
    if (times === 0) wrong.push(`${key} has no event`);
    if (times > 1) wrong.push(`${key} has ${times} events`);
    eventCounts.delete(key);
  }
  for (const key of eventCounts.keys()) wrong.push(`${key} has an event and is not stored`);
  return wrong;
}

/** Thresholds between the imported count and the count that have no milestone. */
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
    { length: Math.floor(count / milestoneStep) },
    (_, index) => (index + 1) * milestoneStep,
  );
  return [...milestoneCounts.filter((one) => one <= count), ...further];
}

/** The goal, if the log shows that it was set before the first signature. */
function goalSince({ signature_goal: goal }: PetitionRow, events: MilestoneEvent[]): number[] {
  const published = events.findIndex(({ type }) => type === 'petition.published');
  const changed = events.findLastIndex(({ type }) => type === 'goal.changed');
  return goal !== null && published >= 0 && changed < published ? [goal] : [];
}

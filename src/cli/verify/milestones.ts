import { milestoneStep, milestoneCounts } from '../../campaigns/signatures/milestones.ts';
import type { Db } from '../../platform/db.ts';
import { eventsSince, type Petition } from './batch.ts';
import type { PetitionCheck } from './check.ts';
import { isPetitionEventIn, type IdRange, type PetitionEventRange } from './pages.ts';

/** Each milestone has one event, and each threshold that the count has passed has a milestone. */
export const milestones: PetitionCheck = {
  name: 'milestones',
  subject: 'milestones',

  async compare(tx, batch) {
    const rows = Map.groupBy(await milestonesIn(tx, batch.range), (row) => row.petition_id);
    const restored = await petitionsRestored(tx, batch.range);
    const events = new Map<string, MilestoneEvent[]>();
    for (const page of batch.eventPages) {
      for (const event of await milestoneEvents(tx, page)) {
        events.getOrInsertComputed(event.petition_id, () => []).push(event);
      }
    }
    let checked = 0;
    const wrong: string[] = [];
    for (const petition of batch.petitions) {
      const history: History = {
        petition,
        rows: rows.get(petition.id) ?? [],
        events: events.get(petition.id) ?? [],
        since: eventsSince(batch, petition.id),
      };
      checked += history.rows.length || history.events.filter(isReached).length;
      const found = [
        ...compareWithEvents(history),
        ...(restored.has(petition.id) ? [] : missingThresholds(history)),
        ...importedThresholds(history),
      ];
      wrong.push(...found.map((what) => `petition ${petition.id}: ${what}`));
    }
    return { checked, wrong };
  },
};

interface History {
  petition: Petition;
  rows: MilestoneRow[];
  /** As far as they are kept, oldest first. */
  events: MilestoneEvent[];
  /** Milestones must have events since then. */
  since: Date;
}

const isReached = ({ type }: MilestoneEvent) => type === 'signature.milestone';

/** Compares milestones with events, as far as events are kept. */
function compareWithEvents({ rows, events, since }: History): string[] {
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

/** Finds thresholds between the imported count and the count that have no milestone. */
function missingThresholds({ petition, rows, events }: History): string[] {
  const { signature_count: count, imported_signature_count: imported } = petition;
  const reached = new Set(rows.map(({ threshold }) => threshold));
  const due = new Set([...thresholdsUpTo(count), ...goalSincePublication(petition, events)]);
  return [...due]
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
function goalSincePublication(
  { signature_goal: goal }: Petition,
  events: MilestoneEvent[],
): number[] {
  const published = events.findIndex(({ type }) => type === 'petition.published');
  const changed = events.findLastIndex(({ type }) => type === 'goal.changed');
  return goal !== null && published >= 0 && changed < published ? [goal] : [];
}

/** Finds milestones that imported signatures had passed already. */
const importedThresholds = ({ petition, rows }: History): string[] =>
  rows
    .filter(({ threshold }) => threshold <= petition.imported_signature_count)
    .map(({ threshold }) => `${threshold} is not above what was imported`);

interface MilestoneRow {
  petition_id: string;
  threshold: number;
  signature_id: string;
  reached_at: Date;
}

/** Reads milestones, and voided ones, which were reached only with invalid signatures. */
async function milestonesIn(db: Db, { after, to }: IdRange): Promise<MilestoneRow[]> {
  return db<MilestoneRow[]>`
    select petition_id, threshold, signature_id, reached_at from milestones
    where petition_id > ${after} and petition_id <= ${to}
    union all
    select petition_id, threshold, signature_id, reached_at from voided_milestones
    where petition_id > ${after} and petition_id <= ${to}`;
}

/** Reads the ids of petitions with restored signatures, whose count passes thresholds without reaching milestones. */
async function petitionsRestored(db: Db, { after, to }: IdRange): Promise<Set<string>> {
  const ids = await db.column<string>`
    select distinct petition_id from invalidations
    where petition_id > ${after} and petition_id <= ${to} and restored > 0`;
  return new Set(ids);
}

interface MilestoneEvent {
  petition_id: string;
  type: 'signature.milestone' | 'petition.published' | 'goal.changed';
  signature_id: string | null;
  threshold: number | null;
  created_at: Date;
}

/** Reads events of milestones reached, publishing, and changes of the goal, oldest first. */
async function milestoneEvents(db: Db, page: PetitionEventRange): Promise<MilestoneEvent[]> {
  return db<MilestoneEvent[]>`
    select e.petition_id, e.created_at, e.data ->> 'signature_id' as signature_id,
      (e.data ->> 'signature_count')::integer as threshold,
      case when e.type = 'petition.updated' then 'goal.changed' else e.type end as type
    from events e
    where ${isPetitionEventIn(db, page)} and (e.type in ('signature.milestone', 'petition.published')
      or (e.type = 'petition.updated' and 'signature_goal' = any(string_to_array(e.data ->> 'fields', ','))))
    order by e.petition_id, e.transaction, e.position`;
}

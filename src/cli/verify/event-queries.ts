import type { Db } from '../../platform/db.ts';
import {
  toLoggedEvent,
  type EventRow,
  type LoggedEvent,
  type LogPosition,
} from '../../platform/events.ts';
import type { EventKey, KeyRange } from './keys.ts';
import { floorOf, type Floor } from './signature-queries.ts';

/** Events that one statement reads. */
const pageSize = 20_000;

/** Whether event `e` is in the range, by the index of petitions' logs, which excludes comments. */
const inRange = (db: Db, { after, to }: KeyRange<EventKey>) => db`
  (e.type <> 'comment.created'
    and (e.petition_id, e.transaction, e.position)
      > (${after.petitionId}::uuid, ${after.transaction}::xid8, ${after.position}::bigint)
    and (e.petition_id, e.transaction, e.position)
      <= (${to.petitionId}::uuid, ${to.transaction}::xid8, ${to.position}::bigint))`;

/** Returns the last key of a full page of the range; undefined if less than a page is left. */
export async function endOfEvents(
  db: Db,
  range: KeyRange<EventKey>,
): Promise<EventKey | undefined> {
  return db.first<EventKey>`
    select e.petition_id as "petitionId", e.transaction::text, e.position::text from events e
    where ${inRange(db, range)}
    order by e.petition_id, e.transaction, e.position
    offset ${pageSize - 1} limit 1`;
}

export interface EventCounts {
  petition_id: string;
  /** Number of events of signatures that still exist, and a sum of hashes of these signatures' ids. */
  events: number;
  hash: string;
}

/** Counts the events of signatures in the range, since the floor of each petition. */
export async function countSignatureEvents(
  db: Db,
  range: KeyRange<EventKey>,
  floors: Floor[],
  since: Date,
): Promise<EventCounts[]> {
  return db<EventCounts[]>`
    with event as materialized (
      select e.petition_id, s.id, s.created_at
      from events e
      join signatures s
        on s.petition_id = e.petition_id and s.id = (e.data ->> 'signature_id')::uuid
      where e.type = 'signature.created' and ${inRange(db, range)}
    )
    select t.petition_id, count(*)::integer as events,
      sum(uuid_hash_extended(t.id, 0))::text as hash
    from event t
    join (
      select petition_id, ${floorOf(db, db`known.petition_id`, floors, since)} as since
      from (select distinct petition_id from event) known
    ) floor on floor.petition_id = t.petition_id and t.created_at >= floor.since
    group by t.petition_id`;
}

export interface MilestoneEvent {
  petition_id: string;
  type: 'signature.milestone' | 'petition.published' | 'goal.changed';
  signature_id: string | null;
  threshold: number | null;
  created_at: Date;
}

/** Events in the range, oldest first, of milestones reached, publishing, and changes of the goal. */
export async function milestoneEvents(
  db: Db,
  range: KeyRange<EventKey>,
): Promise<MilestoneEvent[]> {
  return db<MilestoneEvent[]>`
    select e.petition_id, e.created_at, e.data ->> 'signature_id' as signature_id,
      (e.data ->> 'signature_count')::integer as threshold,
      case when e.type = 'petition.updated' then 'goal.changed' else e.type end as type
    from events e
    where ${inRange(db, range)} and (e.type in ('signature.milestone', 'petition.published')
      or (e.type = 'petition.updated' and 'signature_goal' = any(string_to_array(e.data ->> 'fields', ','))))
    order by e.petition_id, e.transaction, e.position`;
}

/** Events of signatures in the range after that position of the log. */
export async function signatureEventsAfter(
  db: Db,
  range: KeyRange<EventKey>,
  { transaction, position }: LogPosition,
): Promise<LoggedEvent[]> {
  const rows = await db<EventRow[]>`
    select e.transaction::text, e.position::text, e.id, e.type, e.petition_id, e.actor_type,
      e.actor_id, e.data, e.created_at
    from events e
    where ${inRange(db, range)} and e.type like 'signature.%'
      and (e.transaction, e.position) > (${transaction}::xid8, ${position}::bigint)`;
  return rows.map(toLoggedEvent);
}

import type { Db } from '../../platform/db.ts';
import type { EventType, LogPosition } from '../../platform/events.ts';
import type { KeyRange } from './keys.ts';

/** Events that one statement reads. */
const pageSize = 20_000;

/** Whether event `e` is in the range, by the primary key of the log. */
export const inRange = (db: Db, { after, to }: KeyRange<LogPosition>) => db`
  ((e.transaction, e.position) > (${after.transaction}::xid8, ${after.position}::bigint)
    and (e.transaction, e.position) <= (${to.transaction}::xid8, ${to.position}::bigint))`;

/** Returns the last position of a full page of the range; undefined if less than a page is left. */
export async function endOfPage(
  db: Db,
  range: KeyRange<LogPosition>,
): Promise<LogPosition | undefined> {
  return db.first<LogPosition>`
    select e.transaction::text, e.position::text from events e
    where ${inRange(db, range)}
    order by e.transaction, e.position
    offset ${pageSize - 1} limit 1`;
}

/** The positions of the events in the range. */
export async function positionsIn(db: Db, range: KeyRange<LogPosition>): Promise<string[]> {
  const row = await db.one`
    select string_agg(e.position::text, ',') as positions from events e
    where ${inRange(db, range)}`;
  return (row.positions as string | null)?.split(',') ?? [];
}

export interface DayCount {
  day: string;
  given: number;
}

/** Counts events of signatures in the range by day in UTC. */
export async function signaturesByDay(db: Db, range: KeyRange<LogPosition>): Promise<DayCount[]> {
  return db<DayCount[]>`
    select (e.created_at at time zone 'UTC')::date::text as day, count(*)::integer as given
    from events e
    where ${inRange(db, range)} and e.type = 'signature.created'
    group by 1`;
}

/** Reads the stored sums of days without the first one, in which the follower may have started. */
export async function storedDays(db: Db, from: Date): Promise<DayCount[]> {
  return db<DayCount[]>`
    select day::text, given from signature_days
    where day > (${from}::timestamptz at time zone 'UTC')::date
      and day > (select min(day) from signature_days)`;
}

/** An event that notifies the signers of its petition. */
export interface SignersEvent extends LogPosition {
  id: string;
  type: EventType;
  petition_id: string;
  actor_id: string | null;
  created_at: Date;
}

/** Events in the range of these types since a time, oldest first. */
export async function eventsOfTypes(
  db: Db,
  range: KeyRange<LogPosition>,
  types: readonly EventType[],
  since: Date,
): Promise<SignersEvent[]> {
  return db<SignersEvent[]>`
    select e.transaction::text, e.position::text, e.id, e.type, e.petition_id, e.actor_id, e.created_at
    from events e
    where ${inRange(db, range)} and e.type = any(${types}::text[])
      and e.created_at >= ${since}
    order by e.transaction, e.position`;
}

export interface Update extends LogPosition {
  petition_id: string;
}

/** Reads the last petition.updated event in the range of each petition of an organization. */
export async function lastUpdates(db: Db, range: KeyRange<LogPosition>): Promise<Update[]> {
  return db<Update[]>`
    select distinct on (e.petition_id) e.petition_id, e.transaction::text, e.position::text
    from events e join petitions p on p.id = e.petition_id and p.org_id is not null
    where ${inRange(db, range)} and e.type = 'petition.updated'
    order by e.petition_id, e.transaction desc, e.position desc`;
}

/** Finds an event of a transaction in the future of this server; a log restored from another server has some. */
export async function eventsBeyond(db: Db): Promise<string | undefined> {
  return db.value<string | undefined>`
    select id from events
    where transaction >= pg_snapshot_xmax(pg_current_snapshot())
    order by transaction desc, position desc
    limit 1`;
}

export interface FollowerState {
  name: string;
  /** Whether its position is after all events of this server. */
  is_beyond: boolean;
}

/** Reads the followers, and whether they would skip the next events. `highest` is the highest position of the log. */
export async function followerStates(db: Db, highest: string): Promise<FollowerState[]> {
  return db<FollowerState[]>`
    select name, transaction > pg_snapshot_xmax(pg_current_snapshot()) or position > greatest(${highest}::bigint,
      pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass)) as is_beyond
    from event_followers`;
}

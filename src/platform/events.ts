import type { Db, Query, Tx } from './db.ts';
import type { Caller } from './http/route.ts';

/** All types of events. Slices add theirs by declaration merging. */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface EventTypes {}
export type EventType = keyof EventTypes;

export interface Actor {
  type: 'user' | 'api_key' | 'decision_maker' | 'admin' | 'system';
  /** Null if the actor must stay unknown: anonymous signers. */
  id: string | null;
}

/** The service itself, for events without a person. */
export const systemActor: Actor = { type: 'system', id: null };

/** The actor of events that the caller causes. */
export const userActor = ({ userId, credential }: Caller): Actor =>
  credential.kind === 'api_key'
    ? { type: 'api_key', id: credential.keyId }
    : { type: 'user', id: userId };

export interface NewEvent {
  type: EventType;
  petitionId: string | null;
  actor: Actor;
  /** Facts that cannot be read later: counts, old values, ids. Must not name a person. */
  data?: Facts;
  /** Sums over the things that the event changed, for followers that add them up. */
  parts?: Facts[];
  /** Each of these things, for followers that list them. */
  items?: Facts[];
}

type Facts = Record<string, Fact>;
type Fact = string | number | boolean | null;

/**
 * Stores an event in the transaction that causes it. Events of transactions that lock the same row are in the log in
 * the order of the locks (`event_transaction()`, migrations/0041_log_order.sql).
 */
export async function emit(tx: Tx, event: NewEvent): Promise<void> {
  await tx`
    insert into events (type, petition_id, actor_type, actor_id, data)
    values (${event.type}, ${event.petitionId}, ${event.actor.type}, ${event.actor.id},
      ${tx.json({ ...event.data, parts: event.parts, items: event.items })})`;
}

/**
 * A statement that stores events as part of another one. `rows` selects type, petition_id, actor_type, actor_id and
 * data.
 */
export const insertEvents = (db: Db, rows: Query) => db`
  insert into events (transaction, type, petition_id, actor_type, actor_id, data)
  -- The column's default, evaluated once, so that no reader of the log sees a part of the events.
  select (select event_transaction()), rows.*
  from (${rows}) rows (type, petition_id, actor_type, actor_id, data)`;

/** A position in the log. A reader with this position has read all events up to and including it. */
export interface LogPosition {
  transaction: string;
  position: string;
}

export const startOfLog: LogPosition = { transaction: '0', position: '0' };

/** Whether a position comes after the other. */
export const isAfter = (place: LogPosition, other: LogPosition): boolean =>
  place.transaction === other.transaction
    ? BigInt(place.position) > BigInt(other.position)
    : BigInt(place.transaction) > BigInt(other.transaction);

export interface LoggedEvent extends LogPosition, Required<Omit<NewEvent, 'actor'>> {
  id: string;
  actor: Actor;
  createdAt: Date;
}

/** A row of an event, with its position as text. */
export interface EventRow extends LogPosition {
  id: string;
  type: EventType;
  petition_id: string | null;
  actor_type: Actor['type'];
  actor_id: string | null;
  /** Includes the parts and items. */
  data: { parts?: Facts[]; items?: Facts[] } & Record<string, unknown>;
  created_at: Date;
}

/** The columns of an EventRow. */
export const eventColumns = (db: Db) => db`
  transaction::text, position::text, id, type, petition_id, actor_type, actor_id, data, created_at`;

export function toLoggedEvent(row: EventRow): LoggedEvent {
  const { parts = [], items = [], ...data } = row.data;
  return {
    transaction: row.transaction,
    position: row.position,
    id: row.id,
    type: row.type,
    petitionId: row.petition_id,
    actor: { type: row.actor_type, id: row.actor_id },
    data: data as Facts,
    parts,
    items,
    createdAt: row.created_at,
  };
}

/**
 * Reads the next events of the log, oldest first. Positions are assigned before transactions commit, so a reader
 * could skip an event that commits late. The result therefore ends before the oldest running transaction: a reader
 * that continues from the last event sees each event exactly once.
 */
export async function readEvents(
  db: Db,
  after: LogPosition,
  limit: number,
): Promise<LoggedEvent[]> {
  // Orders by the columns, not by the selected texts of the same names.
  const rows = await db<EventRow[]>`
    select ${eventColumns(db)} from events e
    where ${isNext(db, after)}
    order by e.transaction, e.position
    limit ${limit}`;
  return rows.map(toLoggedEvent);
}

/** SQL condition: event `e` comes after a position and before the oldest running transaction. */
const isNext = (db: Db, after: LogPosition) => db`
  e.transaction < pg_snapshot_xmin(pg_current_snapshot())
    and (e.transaction, e.position) > (${after.transaction}::xid8, ${after.position}::bigint)`;

/**
 * As `readEvents`, but ends between transactions: returns more than `limit` events if the last ones are of one transaction.
 */
export async function readTransactions(
  db: Db,
  after: LogPosition,
  limit: number,
): Promise<LoggedEvent[]> {
  const rows = await db<EventRow[]>`
    with last as (
      select e.transaction from events e
      where ${isNext(db, after)}
      order by e.transaction, e.position
      offset ${limit - 1} limit 1
    )
    select ${eventColumns(db)} from events e
    where ${isNext(db, after)}
      and e.transaction <= coalesce((select transaction from last), '18446744073709551615'::xid8)
    order by e.transaction, e.position`;
  return rows.map(toLoggedEvent);
}

/** The position before all events that are not committed yet. */
export async function endOfLog(db: Db): Promise<LogPosition> {
  const row = await db.one<{ transaction: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction`;
  return { transaction: row.transaction, position: '0' };
}

/** Whether the log still has all events after the position: reach/webhooks deletes the oldest. */
export async function hasAllSince(
  db: Db,
  { transaction, position }: LogPosition,
): Promise<boolean> {
  return db.value<boolean>`
    select exists (
      select from events where (transaction, position) <= (${transaction}::xid8, ${position}::bigint)
    ) as kept`;
}

/**
 * Deletes events from the start of the log that are older than `time`, up to the position of the slowest follower.
 * Returns how many.
 */
export async function deleteEventsBefore(db: Db, time: Date, limit: number): Promise<number> {
  return db.affected`
    delete from events where (transaction, position) in (
      select transaction, position from (
        select transaction, position, created_at from events
        order by transaction, position
        limit ${limit}
      ) oldest
      where created_at < ${time} and not exists (
        select from event_followers f
        where (f.transaction, f.position) < (oldest.transaction, oldest.position)))`;
}

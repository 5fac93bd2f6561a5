import type { Db, Tx } from './db.ts';
import type { Caller } from './http/route.ts';

/** What can happen and is told to others: by webhooks, the event log and in real time. */
export const publicEventTypes = [
  'petition.created',
  'petition.updated',
  'petition.published',
  'petition.closed',
  'petition.victory',
  'signature.created',
  'signature.milestone',
  'signature.removed',
  'update.created',
  'payment.completed',
  'response.submitted',
  'response.published',
] as const;
export type PublicEventType = (typeof publicEventTypes)[number];

/** What can happen and concerns the service's own parts only. Ids are in `data`. */
export const internalEventTypes = [
  'comment.created', // comment_id, parent_id
  'organization.member_added', // org_id, user_id
  'petition.deleted',
  'petition.under_review',
  'petition.approved',
  'petition.rejected', // act_id, by which the audit log has the reason
  // Of a batch: rule_id, count, the new signature_count; parts are what was moved; ended with the last.
  'signature.invalidated',
  'signature.restored', // the same
  'user.warned', // warning_id, user_id
  'webhook.disabled', // endpoint_id, user_id
] as const;
export type EventType = PublicEventType | (typeof internalEventTypes)[number];

export interface Actor {
  type: 'user' | 'api_key' | 'decision_maker' | 'admin' | 'system';
  /** Null where the actor must not be known, such as who signed anonymously. */
  id: string | null;
}

/** The service itself, for what no person did. */
export const system: Actor = { type: 'system', id: null };

/** Who calls, as events tell who did something. */
export const userActor = ({ userId, credential }: Caller): Actor =>
  credential.kind === 'api_key'
    ? { type: 'api_key', id: credential.keyId }
    : { type: 'user', id: userId };

export interface NewEvent {
  type: EventType;
  petitionId: string | null;
  actor: Actor;
  /** Facts that cannot be read later: counts, old values, ids. Nothing that names a person. */
  data?: Facts;
  /** The same of the single things that it is about, where those are many. */
  parts?: Facts[];
}

type Facts = Record<string, Fact>;
type Fact = string | number | boolean | null;

/**
 * Tells what happened, as part of the transaction in which it happens. What is told while a row is held comes
 * in the log after all that was told by those who held it before (migrations/0041_log_order.sql).
 */
export async function emit(tx: Tx, event: NewEvent): Promise<void> {
  await tx`
    insert into events (type, petition_id, actor_type, actor_id, data)
    values (${event.type}, ${event.petitionId}, ${event.actor.type}, ${event.actor.id},
      ${tx.json({ ...event.data, ...(event.parts && { parts: event.parts }) })})`;
}

/** A place in the log: everything up to and including it has been read. */
export interface LogPosition {
  transaction: string;
  position: string;
}

export const startOfLog: LogPosition = { transaction: '0', position: '0' };

/** Whether a place comes after the other. */
export const isAfter = (place: LogPosition, other: LogPosition): boolean =>
  place.transaction === other.transaction
    ? BigInt(place.position) > BigInt(other.position)
    : BigInt(place.transaction) > BigInt(other.transaction);

export interface LoggedEvent extends LogPosition, Required<Omit<NewEvent, 'actor'>> {
  id: string;
  actor: Actor;
  createdAt: Date;
}

/** Which events to read, besides those that come after a place. */
export interface EventSelection {
  /** Of one petition only, and without its comments, of which there may be many. */
  petitionId?: string;
}

/** An event as the database gives it, with its place as texts. */
export interface EventRow extends LogPosition {
  id: string;
  type: EventType;
  petition_id: string | null;
  actor_type: Actor['type'];
  actor_id: string | null;
  /** With the parts among the facts. */
  data: { parts?: Facts[] } & Record<string, unknown>;
  created_at: Date;
}

export function toLoggedEvent(row: EventRow): LoggedEvent {
  const { parts = [], ...data } = row.data;
  return {
    transaction: row.transaction,
    position: row.position,
    id: row.id,
    type: row.type,
    petitionId: row.petition_id,
    actor: { type: row.actor_type, id: row.actor_id },
    data: data as Facts,
    parts,
    createdAt: row.created_at,
  };
}

/**
 * The next events of the log, oldest first. Positions are given out before transactions commit, so
 * order alone could pass over one that commits late; what is returned therefore ends before the
 * oldest transaction still under way, and every event is seen exactly once by a reader that goes on
 * from the last one.
 */
export async function readEvents(
  db: Db,
  after: LogPosition,
  limit: number,
  { petitionId }: EventSelection = {},
): Promise<LoggedEvent[]> {
  // Of one petition it is written as a range of that index, or PostgreSQL may read the whole log for it.
  // Ordered by the columns, not by the texts of the same name that are selected.
  const place = db`${after.transaction}::xid8, ${after.position}::bigint`;
  const rows = await db<EventRow[]>`
    select transaction::text, position::text, id, type, petition_id, actor_type, actor_id, data,
      created_at
    from events
    where transaction < pg_snapshot_xmin(pg_current_snapshot()) and ${
      petitionId
        ? db`(petition_id, transaction, position) > (${petitionId}, ${place})
            and petition_id <= ${petitionId} and type <> 'comment.created'
          order by petition_id, events.transaction, events.position`
        : db`(transaction, position) > (${place})
          order by events.transaction, events.position`
    }
    limit ${limit}`;
  return rows.map(toLoggedEvent);
}

/** A place in the log before everything that is not committed yet. */
export async function endOfLog(db: Db): Promise<LogPosition> {
  const [row] = await db<{ transaction: string }[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction`;
  return { transaction: row!.transaction, position: '0' };
}

/** Whether the log still has all that came after a place: its oldest events are let go (reach/webhooks). */
export async function isKeptSince(
  db: Db,
  { transaction, position }: LogPosition,
): Promise<boolean> {
  const [row] = await db<{ kept: boolean }[]>`
    select exists (
      select from events where (transaction, position) <= (${transaction}::xid8, ${position}::bigint)
    ) as kept`;
  return row!.kept;
}

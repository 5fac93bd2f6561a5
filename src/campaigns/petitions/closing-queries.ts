import { systemActor, insertEvents } from '../../platform/events.ts';
import type { Db } from '../../platform/db.ts';

/** SQL condition: the petition can be closed by its date. What was never published waits for a moderator first. */
const isClosable = (db: Db) => db`
  status in ('active', 'under_review') and published_at is not null and deleted_at is null`;

/**
 * Returns the petition that is due longest. Among 200,000 petitions of which 40,000 have a date: 3 pages of the index
 * petitions_to_close, 0.1 ms.
 */
export async function findDue(db: Db): Promise<string | undefined> {
  return db.value<string | undefined>`
    select id from petitions
    where closes_at <= now() and ${isClosable(db)}
    order by closes_at
    limit 1`;
}

/**
 * Closes a petition whose date has passed, and stores the event, in one statement. Returns false if it was closed, or its
 * date changed, while this waited for its row. All who sign later wait for the same lock and find it closed, so that the
 * event comes after those of its signatures.
 */
export async function closeDue(db: Db, id: string): Promise<boolean> {
  return db.changed`
    with closed as (
      update petitions
      set status = 'closed', closed_at = closes_at, status_since = now(), hidden_with_creator = false
      where id = ${id} and closes_at <= now() and ${isClosable(db)}
      returning id
    ), event as (
      ${insertEvents(
        db,
        db`select 'petition.closed', id, ${systemActor.type}, ${systemActor.id}::uuid, '{}'::jsonb
        from closed`,
      )}
    )
    select from closed`;
}

/** SQL condition: the petition takes signatures, so that people can be reminded of its date. */
const isOpen = (db: Db) => db`status = 'active' and closes_at > now() and deleted_at is null`;

/** Returns the petition whose reminder is due longest, by the index petitions_to_remind_of: 4 pages, 0.1 ms. */
export async function findToRemindOf(db: Db): Promise<string | undefined> {
  return db.value<string | undefined>`
    select id from petitions
    where closing_reminder_at <= now() and ${isOpen(db)}
    order by closing_reminder_at
    limit 1`;
}

/**
 * Stores the event that reminds of a closing date, once for a date, in one statement. Returns false if another process has
 * done so, the petition has ended, or its date has changed, while this waited for its row.
 */
export async function remindOf(db: Db, id: string): Promise<boolean> {
  return db.changed`
    with reminded as (
      update petitions set closing_reminder_at = null
      where id = ${id} and closing_reminder_at <= now() and ${isOpen(db)}
      returning id, closes_at
    ), event as (
      ${insertEvents(
        db,
        db`select 'petition.closing', id, ${systemActor.type}, ${systemActor.id}::uuid,
          jsonb_build_object('closes_at',
            to_char(closes_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        from reminded`,
      )}
    )
    select from reminded`;
}

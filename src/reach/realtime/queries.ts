import type { Db } from '../../platform/db.ts';
import {
  eventColumns,
  toLoggedEvent,
  type EventRow,
  type LoggedEvent,
  type LogPosition,
} from '../../platform/events.ts';

export async function readCount(db: Db, petitionId: string): Promise<number> {
  const count = await db.value<number | undefined>`
    select signature_count from petitions where id = ${petitionId}`;
  return count ?? 0;
}

/** Reads the next events of a petition as `readEvents` does, but no comments, of which there may be many. */
export async function readPetitionEvents(
  db: Db,
  petitionId: string,
  after: LogPosition,
  limit: number,
): Promise<LoggedEvent[]> {
  // Written as a range of the index of petitions; otherwise PostgreSQL may read the whole log.
  const rows = await db<EventRow[]>`
    select ${eventColumns(db)} from events
    where transaction < pg_snapshot_xmin(pg_current_snapshot())
      and (petition_id, transaction, position)
        > (${petitionId}, ${after.transaction}::xid8, ${after.position}::bigint)
      and petition_id <= ${petitionId} and type <> 'comment.created'
    order by petition_id, events.transaction, events.position
    limit ${limit}`;
  return rows.map(toLoggedEvent);
}

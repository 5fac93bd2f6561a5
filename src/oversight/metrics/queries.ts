import type { PetitionRow } from '../../campaigns/petitions/read.ts';
import type { Db, Tx } from '../../platform/db.ts';

export const countable = {
  users: (db: Db) => db`select from users`,
  comments: (db: Db) => db`select from comments where deleted_at is null`,
  signatures: (db: Db) => db`select from signatures`,
  openReports: (db: Db) => db`select from reports where status = 'open'`,
  openComplaints: (db: Db) => db`select from complaints where status = 'open'`,
  waitingChanges: (db: Db) => db`
    select from petitions
    where text_changed_at is not null and change_reviewed_at is null and deleted_at is null
      and status <> 'draft'`,
  petitions: (db: Db, status: PetitionRow['status']) =>
    db`select from petitions where status = ${status} and deleted_at is null`,
};
export type Countable = ReturnType<(typeof countable)['users']>;

/** Returns the number of rows, at most `limit`. */
export async function countUpTo(db: Db, limit: number, rows: Countable): Promise<number> {
  return db.value<number>`
    select count(*)::integer as n from (${rows} limit ${limit}) as counted`;
}

/** Returns the number of rows that the planner estimates by the statistics of the tables. */
export async function estimateRows(db: Db, rows: Countable): Promise<number> {
  const row = await db.one`explain (format json) ${rows}`;
  return row['QUERY PLAN'][0].Plan['Plan Rows'];
}

/** Returns the times of the oldest open report and of the oldest petition under review. */
export async function findOldestWaiting(
  db: Db,
): Promise<{ report: Date | null; petition: Date | null }> {
  return db.one<{ report: Date | null; petition: Date | null }>`
    select ${oldestWaiting.report(db)} as report, ${oldestWaiting.petition(db)} as petition`;
}

/** SQL expressions: since when the oldest waits. */
const oldestWaiting = {
  report: (db: Db) => db`
    (select created_at from reports where status = 'open' order by id limit 1)`,
  petition: (db: Db) => db`
    (select status_since from petitions where status = 'under_review' and deleted_at is null
      order by status_since, id limit 1)`,
  complaint: (db: Db) => db`
    (select created_at from complaints where status = 'open' order by id limit 1)`,
  change: (db: Db) => db`
    (select text_changed_at from petitions
      where text_changed_at is not null and change_reviewed_at is null and deleted_at is null
        and status <> 'draft'
      order by text_changed_at, id limit 1)`,
};

/** What waits for moderators, of one kind. */
export interface WaitingKind {
  kind: 'report' | 'petition' | 'complaint' | 'change';
  /** At most the limit of the count. */
  items: number;
  oldest_at: Date | null;
}

/**
 * Counts what waits for moderators, up to a limit of each kind. Reads the indexes reports_by_status, petitions_by_status,
 * complaints_by_status and petitions_with_changed_text.
 */
export async function readModerationQueue(db: Db, limit: number): Promise<WaitingKind[]> {
  const count = (rows: Countable) => db`
    (select count(*)::integer from (${rows} limit ${limit}) as counted)`;
  return db<WaitingKind[]>`
    select 'report' as kind, ${count(countable.openReports(db))} as items,
      ${oldestWaiting.report(db)} as oldest_at
    union all
    select 'petition', ${count(countable.petitions(db, 'under_review'))},
      ${oldestWaiting.petition(db)}
    union all
    select 'complaint', ${count(countable.openComplaints(db))}, ${oldestWaiting.complaint(db)}
    union all
    select 'change', ${count(countable.waitingChanges(db))}, ${oldestWaiting.change(db)}`;
}

/** Returns the number of signatures of today and of the last seven days, today included, in UTC. */
export async function findDailySignatures(
  db: Db,
  today: string,
): Promise<{ today: number; last_7_days: number }> {
  return db.one<{ today: number; last_7_days: number }>`
    select coalesce(sum(given) filter (where day = ${today}), 0)::integer as today,
      coalesce(sum(given), 0)::integer as last_7_days
    from signature_days where day > ${today}::date - 7 and day <= ${today}`;
}

/** Adds signatures to the sum of a day. */
export async function addDailySignatures(tx: Tx, day: string, given: number): Promise<void> {
  await tx`
    insert into signature_days (day, given) values (${day}, ${given})
    on conflict (day) do update set given = signature_days.given + excluded.given`;
}

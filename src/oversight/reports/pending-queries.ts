import type { Db, Tx } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { TargetContent } from './queries.ts';
import type { ReportInput } from './schema.ts';

export interface PendingReportRow extends TargetContent {
  id: string;
  email: string;
  input: ReportInput;
  network: Buffer | null;
  language: Language;
  browser_hash: Buffer;
  tries: number;
  /** The report after confirmation; null before. */
  report_id: string | null;
  expires_at: Date;
}

type NewPendingReport = Omit<PendingReportRow, 'tries' | 'report_id' | 'expires_at'> & {
  token_hash: Buffer;
};

const columns = (db: Db) => db`
  id, email, input, author_id, petition_id, snapshot, network, language, browser_hash, tries, report_id,
  expires_at`;

export async function insertPending(
  tx: Tx,
  { input, snapshot, ...row }: NewPendingReport,
): Promise<void> {
  await tx`
    insert into pending_reports
    ${tx({ ...row, input: tx.json(input), snapshot: snapshot && tx.json(snapshot) })}`;
}

/** Returns a pending report that has not expired. */
export const findPending = (db: Db, id: string): Promise<PendingReportRow | undefined> =>
  db.first<PendingReportRow>`
    select ${columns(db)} from pending_reports where id = ${id} and expires_at > now()`;

export const findPendingByToken = (db: Db, hash: Buffer): Promise<PendingReportRow | undefined> =>
  db.first<PendingReportRow>`
    select ${columns(db)} from pending_reports where token_hash = ${hash} and expires_at > now()`;

/** Counts a try of a code before it is compared, so that concurrent tries all count. */
export const countTry = (db: Db, id: string): Promise<PendingReportRow | undefined> =>
  db.first<PendingReportRow>`
    update pending_reports set tries = least(tries + 1, 100)
    where id = ${id} and expires_at > now()
    returning ${columns(db)}`;

/** Locks a pending report, so that it is confirmed once. */
export const lockPending = (tx: Tx, id: string): Promise<PendingReportRow | undefined> =>
  tx.first<PendingReportRow>`
    select ${columns(tx)} from pending_reports where id = ${id} and expires_at > now() for update`;

/** Stores the id of the report, and erases what the report contains. */
export async function markConfirmed(tx: Tx, id: string, reportId: string): Promise<void> {
  await tx`
    update pending_reports set report_id = ${reportId}, input = '{}', snapshot = null,
      author_id = null, network = null
    where id = ${id}`;
}

export async function deleteExpiredPending(db: Db): Promise<void> {
  await db`delete from pending_reports where expires_at <= now()`;
}

/**
 * Returns the pending reports of a user's address. None for an unverified address: somebody else may have created
 * the account.
 */
export const findPendingOfUser = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select r.id, r.input, r.language, r.report_id, r.created_at, r.expires_at
    from users u join pending_reports r on lower(r.email) = lower(u.email)
    where u.id = ${userId} and u.email_verified_at is not null
    order by r.id`;

/** Deletes the rows that `findPendingOfUser` returns, and what the user wrote from those of others. */
export async function erasePendingOf(tx: Tx, userId: string): Promise<void> {
  await tx`
    delete from pending_reports r using users u
    where u.id = ${userId} and u.email_verified_at is not null and lower(r.email) = lower(u.email)`;
  await tx`
    update pending_reports set author_id = null, snapshot = null where author_id = ${userId}`;
}

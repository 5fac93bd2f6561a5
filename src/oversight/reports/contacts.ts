import type { Db, Tx } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import { retentionInterval } from '../../platform/retention.ts';

/** Where a reporter without an account learns what became of the report. */
export interface ReportContact {
  email: string;
  language: Language;
}

/** Stores the contact of a report. That of an open report of the same mailbox stays. */
export async function insertContact(
  tx: Tx,
  reportId: string,
  { email, language }: ReportContact,
): Promise<void> {
  await tx`
    insert into report_contacts (report_id, email, language)
    values (${reportId}, ${email}, ${language})
    on conflict (report_id) do nothing`;
}

export const findReportContact = (db: Db, reportId: string): Promise<ReportContact | undefined> =>
  db.first<ReportContact>`
    select email, language from report_contacts where report_id = ${reportId}`;

/** Deletes contacts 6 months after the decision, until when the reporter can complain. */
export async function forgetOldContacts(db: Db): Promise<void> {
  await db`
    delete from report_contacts c using reports r
    where r.id = c.report_id and r.resolved_at < now() - ${retentionInterval('report_contacts')}::interval`;
}

/**
 * Returns the contacts with a user's address. None for an unverified address: somebody else may have created the
 * account.
 */
export const findContactsOfUser = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select c.report_id, c.language, c.created_at
    from users u join report_contacts c on lower(c.email) = lower(u.email)
    where u.id = ${userId} and u.email_verified_at is not null
    order by c.report_id`;

/** Deletes the contacts that `findContactsOfUser` returns. */
export async function eraseContactsOf(tx: Tx, userId: string): Promise<void> {
  await tx`
    delete from report_contacts c using users u
    where u.id = ${userId} and u.email_verified_at is not null and lower(c.email) = lower(u.email)`;
}

import type { Db, Tx } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import { retentionInterval } from '../../platform/retention.ts';
import type { GivenInput, SignatureReceipt } from '../signatures/schema.ts';

export interface PendingRow {
  id: string;
  petition_id: string;
  email: string;
  display_name: string;
  input: GivenInput;
  has_code: boolean;
  language: Language;
  browser_hash: Buffer | null;
  tries: number;
  created_at: Date;
  expires_at: Date;
  /** The signature after confirmation; null before. */
  signature_id: string | null;
}

type NewPending = Omit<PendingRow, 'tries' | 'created_at' | 'expires_at' | 'signature_id'> & {
  token_hash: Buffer;
};

const columns = (db: Db) => db`
  id, petition_id, email, display_name, input, has_code, language, browser_hash, tries, created_at,
  expires_at, signature_id`;

export async function insertPending(db: Db, { input, ...row }: NewPending): Promise<PendingRow> {
  return db.one<PendingRow>`
    insert into pending_signatures ${db({ ...row, input: db.json(input) })}
    returning ${columns(db)}`;
}

/** Returns a pending signature that has not expired. */
export async function findPending(db: Db, id: string): Promise<PendingRow | undefined> {
  return db.first<PendingRow>`
    select ${columns(db)} from pending_signatures where id = ${id} and expires_at > now()`;
}

export async function findPendingByToken(
  db: Db,
  tokenHash: Buffer,
): Promise<PendingRow | undefined> {
  return db.first<PendingRow>`
    select ${columns(db)} from pending_signatures
    where token_hash = ${tokenHash} and expires_at > now()`;
}

/** Counts an attempt before the code is checked, so that concurrent attempts all count. */
export async function countAttempt(db: Db, id: string): Promise<PendingRow | undefined> {
  return db.first<PendingRow>`
    update pending_signatures set tries = least(tries + 1, 100)
    where id = ${id} and expires_at > now()
    returning ${columns(db)}`;
}

/** Pending signatures of an address on one petition that a code may be of. */
const maxCandidates = 3;

/** Counts an attempt for the newest pending signatures of an address on a petition. */
export async function countAttemptsOf(
  db: Db,
  { petitionId, email }: { petitionId: string; email: string },
): Promise<PendingRow[]> {
  return db<PendingRow[]>`
    update pending_signatures set tries = least(tries + 1, 100)
    where id in (
      select id from pending_signatures
      where lower(email) = lower(${email}) and petition_id = ${petitionId} and expires_at > now()
      order by id desc
      limit ${maxCandidates})
    returning ${columns(db)}`;
}

/**
 * Stores the id of the signature, and erases the input, which the signature contains. Returns false if another request has
 * done so.
 */
export async function markConfirmed(db: Db, id: string, signatureId: string): Promise<boolean> {
  return db.changed`
    update pending_signatures set signature_id = ${signatureId}, input = '{}'
    where id = ${id} and signature_id is null`;
}

/** A receipt without what follows from the settings. */
export type StoredReceipt = Omit<SignatureReceipt, 'receipt_url'>;

const receiptColumns = (db: Db) => db`
  s.id, s.petition_id, s.user_id, s.is_anonymous, s.state, p.signature_count,
  exists (
    select from milestones m where m.petition_id = s.petition_id and m.signature_id = s.id
  ) as milestone_reached`;

/** Returns the receipt of a signature with the current count; undefined if it was withdrawn. */
export async function receiptOf(db: Db, signatureId: string): Promise<StoredReceipt | undefined> {
  return db.first<StoredReceipt>`
    select ${receiptColumns(db)} from signatures s join petitions p on p.id = s.petition_id
    where s.id = ${signatureId} and s.user_id is not null`;
}

/** Returns the receipt of a signature that the user gave after the pending one was stored, if any. */
export async function receiptSince(
  db: Db,
  pendingId: string,
  userId: string,
): Promise<StoredReceipt | undefined> {
  return db.first<StoredReceipt>`
    select ${receiptColumns(db)}
    from pending_signatures w
    join signatures s on s.petition_id = w.petition_id and s.user_id = ${userId}
      and s.created_at >= w.created_at
    join petitions p on p.id = s.petition_id
    where w.id = ${pendingId}`;
}

export async function deletePending(db: Db, id: string): Promise<void> {
  await db`delete from pending_signatures where id = ${id}`;
}

/** Deletes what cannot be confirmed any more. What waits for its reminder stays, for a while. */
export async function deleteExpiredPending(db: Db): Promise<void> {
  await db`
    delete from pending_signatures
    where expires_at <= now() and (signature_id is not null or reminded_at is not null
      or expires_at <= now() - ${retentionInterval('missed_reminders')}::interval)`;
}

/** Locks and returns signatures that were not confirmed within a day, the oldest first, for their reminder. */
export async function takeUnconfirmed(tx: Tx, limit: number): Promise<string[]> {
  return tx.column<string>`
    select id from pending_signatures
    where expires_at <= now() and signature_id is null and reminded_at is null
    order by expires_at
    limit ${limit}
    for update skip locked`;
}

/**
 * Marks these as reminded, and returns those that get a reminder: not where the address has another form on the petition
 * that is newer, got a reminder or was confirmed, or where its account has signed. Their links work for another day: what
 * was marked without a reminder had expired before.
 */
export async function remindNewest(tx: Tx, ids: string[]): Promise<string[]> {
  return tx.column<string>`
    with due as (
      select w.id, not exists (
        select from pending_signatures o
        where lower(o.email) = lower(w.email) and o.petition_id = w.petition_id and o.id <> w.id
          and (o.id > w.id or o.expires_at > o.reminded_at or o.signature_id is not null)
      ) and not exists (
        select from users u join signatures s on s.user_id = u.id and s.petition_id = w.petition_id
        where lower(u.email) = lower(w.email)
      ) as is_wanted
      from pending_signatures w where w.id = any(${ids}::uuid[])
    ), marked as (
      update pending_signatures w set reminded_at = now(),
        expires_at = case when due.is_wanted then now() + ${retentionInterval('pending_signatures')}::interval else w.expires_at end
      from due where w.id = due.id
    )
    select id from due where is_wanted`;
}

/** Marks the reminder as handed over. Returns false if it was before. */
export const startReminder = (db: Db, id: string): Promise<boolean> =>
  db.changed`
    update pending_signatures set reminder_sent_at = now()
    where id = ${id} and reminder_sent_at is null`;

/** The mail server did not take the reminder: it may be tried again. */
export async function retryReminder(db: Db, id: string): Promise<void> {
  await db`update pending_signatures set reminder_sent_at = null where id = ${id}`;
}

/** Marks the first mail as sent. Returns false if it was before, or the signature is gone. */
export const markMailed = (db: Db, id: string): Promise<boolean> =>
  db.changed`
    update pending_signatures set mailed_at = now() where id = ${id} and mailed_at is null`;

/**
 * Returns the pending signatures of a user's address. None for an unverified address: somebody else may
 * have created the account to see what the address signs.
 */
export async function findPendingOfUser(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select s.id, s.petition_id, p.title as petition_title, s.display_name, s.input, s.language,
      s.signature_id, s.created_at, s.mailed_at, s.reminded_at, s.reminder_sent_at, s.expires_at
    from users u
    join pending_signatures s on lower(s.email) = lower(u.email)
    join petitions p on p.id = s.petition_id
    where u.id = ${userId} and u.email_verified_at is not null
    order by s.id`;
}

/** Deletes the rows that `findPendingOfUser` returns. */
export async function erasePendingOf(tx: Tx, userId: string): Promise<void> {
  await tx`
    delete from pending_signatures s using users u
    where u.id = ${userId} and u.email_verified_at is not null and lower(s.email) = lower(u.email)`;
}

import type { Db, Tx } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { SignatureInput, SignatureReceipt } from '../signatures/schema.ts';

export interface PendingRow {
  id: string;
  petition_id: string;
  email: string;
  display_name: string;
  input: SignatureInput;
  has_code: boolean;
  language: Language;
  browser_hash: Buffer | null;
  tries: number;
  expires_at: Date;
  /** The signature that it became; null while it waits. */
  signature_id: string | null;
}

type NewPending = Omit<PendingRow, 'tries' | 'expires_at' | 'signature_id'> & {
  token_hash: Buffer;
};

const columns = (db: Db) => db`
  id, petition_id, email, display_name, input, has_code, language, browser_hash, tries, expires_at,
  signature_id`;

export async function insertPending(db: Db, { input, ...row }: NewPending): Promise<PendingRow> {
  const [stored] = await db<PendingRow[]>`
    insert into pending_signatures ${db({ ...row, input: db.json(input) })}
    returning ${columns(db)}`;
  return stored!;
}

/** One that has not expired. */
export async function findPending(db: Db, id: string): Promise<PendingRow | undefined> {
  const [row] = await db<PendingRow[]>`
    select ${columns(db)} from pending_signatures where id = ${id} and expires_at > now()`;
  return row;
}

export async function findByToken(db: Db, tokenHash: Buffer): Promise<PendingRow | undefined> {
  const [row] = await db<PendingRow[]>`
    select ${columns(db)} from pending_signatures
    where token_hash = ${tokenHash} and expires_at > now()`;
  return row;
}

/** Counts one try of its code, before it is judged, so that none of many at once is left out. */
export async function countTry(db: Db, id: string): Promise<PendingRow | undefined> {
  const [row] = await db<PendingRow[]>`
    update pending_signatures set tries = least(tries + 1, 100)
    where id = ${id} and expires_at > now()
    returning ${columns(db)}`;
  return row;
}

/** Notes what it became, and forgets what it was signed with, which the signature has. */
export async function markConfirmed(db: Db, id: string, signatureId: string): Promise<void> {
  await db`
    update pending_signatures set signature_id = ${signatureId}, input = '{}' where id = ${id}`;
}

const receiptColumns = (db: Db) => db`
  s.id, s.petition_id, s.user_id, s.is_anonymous, p.signature_count,
  exists (
    select from milestones m where m.petition_id = s.petition_id and m.signature_id = s.id
  ) as milestone_reached`;

/** What giving this signature was answered with, and the count as it is now; nothing where it is withdrawn. */
export async function receiptOf(
  db: Db,
  signatureId: string,
): Promise<SignatureReceipt | undefined> {
  const [row] = await db<SignatureReceipt[]>`
    select ${receiptColumns(db)} from signatures s join petitions p on p.id = s.petition_id
    where s.id = ${signatureId} and s.user_id is not null`;
  return row;
}

/** The same of the signature that the user has given since the mail was asked for, if there is one. */
export async function receiptSince(
  db: Db,
  pendingId: string,
  userId: string,
): Promise<SignatureReceipt | undefined> {
  const [row] = await db<SignatureReceipt[]>`
    select ${receiptColumns(db)}
    from pending_signatures w
    join signatures s on s.petition_id = w.petition_id and s.user_id = ${userId}
      and s.created_at >= w.created_at
    join petitions p on p.id = s.petition_id
    where w.id = ${pendingId}`;
  return row;
}

export async function deletePending(db: Db, id: string): Promise<void> {
  await db`delete from pending_signatures where id = ${id}`;
}

export async function deleteExpired(db: Db): Promise<void> {
  await db`delete from pending_signatures where expires_at <= now()`;
}

/**
 * What waits under a user's address or was confirmed within its day, whoever sent it. It is theirs once the
 * address is verified; before that, somebody else may have opened the account to see what the address signs.
 */
export async function pendingOf(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select s.id, s.petition_id, p.title as petition_title, s.display_name, s.input, s.language,
      s.signature_id, s.created_at, s.expires_at
    from users u
    join pending_signatures s on lower(s.email) = lower(u.email)
    join petitions p on p.id = s.petition_id
    where u.id = ${userId} and u.email_verified_at is not null
    order by s.id`;
}

/** Removes the same. */
export async function erasePendingOf(tx: Tx, userId: string): Promise<void> {
  await tx`
    delete from pending_signatures s using users u
    where u.id = ${userId} and u.email_verified_at is not null and lower(s.email) = lower(u.email)`;
}

import type { Db, Tx } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import { retentionInterval } from '../../platform/retention.ts';

/** What the account gets that an answer opens. */
export interface Registration {
  display_name: string;
  password_hash: string;
}

export interface ChallengeRow {
  id: string;
  email: string;
  registration: Registration | null;
  redirect: string | null;
  language: Language;
  browser_hash: Buffer | null;
  is_mailed: boolean;
  tries: number;
  created_at: Date;
  expires_at: Date;
  /** Used, too old, never mailed, or three newer ones of the mailbox were mailed. */
  is_over: boolean;
}

/** Newest challenges of a mailbox that can be answered. */
const maxOpen = 3;

const columns = (db: Db) => db`
  c.id, c.email, c.registration, c.redirect, c.language, c.browser_hash, c.is_mailed, c.tries, c.created_at, c.expires_at,
  c.used_at is not null or c.expires_at <= now() or not c.is_mailed or ${maxOpen} <= (
    select count(*) from mail_challenges newer
    where newer.mailbox = c.mailbox and newer.id > c.id and newer.is_mailed) as is_over`;

export type NewChallenge = Pick<
  ChallengeRow,
  'id' | 'email' | 'registration' | 'redirect' | 'language' | 'browser_hash' | 'is_mailed'
> & { mailbox: Buffer; token_hash: Buffer };

/** Stores a challenge. Returns until when it can be answered. */
export const insertChallenge = (tx: Tx, { registration, ...row }: NewChallenge): Promise<Date> =>
  tx.value<Date>`
    insert into mail_challenges ${tx({ ...row, registration: registration && tx.json(registration) })}
    returning expires_at`;

export const findChallenge = (db: Db, id: string): Promise<ChallengeRow | undefined> =>
  db.first<ChallengeRow>`select ${columns(db)} from mail_challenges c where id = ${id}`;

export const findByToken = (db: Db, hash: Buffer): Promise<ChallengeRow | undefined> =>
  db.first<ChallengeRow>`select ${columns(db)} from mail_challenges c where token_hash = ${hash}`;

/** Counts a try of a code before it is compared, so that concurrent tries all count. */
export const countTry = (db: Db, id: string): Promise<ChallengeRow | undefined> =>
  db.first<ChallengeRow>`
    update mail_challenges c set tries = least(tries + 1, 100) where id = ${id}
    returning ${columns(db)}`;

/** Marks a challenge as used. Returns false if another request has used it, or it is over. */
export const useChallenge = (db: Db, id: string): Promise<boolean> =>
  db.changed`
    update mail_challenges set used_at = now(), registration = null
    where id = ${id} and used_at is null and expires_at > now()`;

/** Deletes challenges that nobody can answer any more. Those of the last hour tell used links from unknown ones. */
export async function deleteOldChallenges(db: Db): Promise<void> {
  await db`delete from mail_challenges where expires_at < now() - ${retentionInterval('mail_challenges')}::interval`;
}

/** Returns the challenges of a user's address. None for an unverified one: somebody else may have opened the account. */
export const exportChallenges = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select c.id, c.email, c.registration ->> 'display_name' as display_name, c.redirect, c.language, c.tries, c.created_at, c.expires_at, c.used_at
    from users u join mail_challenges c on lower(c.email) = lower(u.email)
    where u.id = ${userId} and u.email_verified_at is not null
    order by c.id`;

/** Forgets what strangers chose for an account with a user's address. */
export async function forgetRegistrations(tx: Tx, userId: string): Promise<void> {
  await tx`
    update mail_challenges c set registration = null from users u
    where u.id = ${userId} and lower(c.email) = lower(u.email) and c.registration is not null`;
}

/** Deletes the rows that `exportChallenges` returns. */
export async function eraseChallenges(tx: Tx, userId: string): Promise<void> {
  await tx`
    delete from mail_challenges c using users u
    where u.id = ${userId} and u.email_verified_at is not null and lower(c.email) = lower(u.email)`;
}

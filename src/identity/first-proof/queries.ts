import type { Db, Tx } from '../../platform/db.ts';
import { retentionInterval } from '../../platform/retention.ts';
import type { UserRow } from '../accounts/accounts.ts';

export interface QuarantinedRow {
  user_id: string;
  owner_id: string | null;
  display_name: string;
  bio: string | null;
  avatar_url: string | null;
  slug: string | null;
  /** Of the account. */
  created_at: Date;
  expires_at: Date;
  shown_at: Date | null;
  role: UserRow['role'];
  language: UserRow['language'];
  suspended_at: Date | null;
}

const columns = (db: Db) => db`
  q.user_id, q.owner_id, q.display_name, q.bio, q.avatar_url, q.slug, q.shown_at, u.created_at, u.role, u.language, u.suspended_at,
  q.quarantined_at + ${retentionInterval('quarantined_accounts')}::interval as expires_at`;

/** The account of which an owner decides next: several are of an owner who changed to an address that was registered. */
const nextOfOwner = (db: Db, ownerId: string) => db`
  q.user_id = (
    select user_id from quarantined_accounts where owner_id = ${ownerId}
    order by quarantined_at, user_id limit 1)`;

/** Returns the quarantined account of which the user decides. */
export const findOfOwner = (db: Db, ownerId: string): Promise<QuarantinedRow | undefined> =>
  db.first<QuarantinedRow>`
    select ${columns(db)} from quarantined_accounts q join users u on u.id = q.user_id
    where ${nextOfOwner(db, ownerId)}`;

/** As `findOfOwner`, and keeps others from deciding until the transaction ends. */
export const lockOfOwner = (tx: Tx, ownerId: string): Promise<QuarantinedRow | undefined> =>
  tx.first<QuarantinedRow>`
    select ${columns(tx)} from quarantined_accounts q join users u on u.id = q.user_id
    where ${nextOfOwner(tx, ownerId)} for update of q`;

/** Returns a quarantined account, of which nobody decides until the transaction ends. */
export const lockQuarantined = (tx: Tx, userId: string): Promise<QuarantinedRow | undefined> =>
  tx.first<QuarantinedRow>`
    select ${columns(tx)} from quarantined_accounts q join users u on u.id = q.user_id
    where q.user_id = ${userId} for update of q`;

export const isQuarantined = (db: Db, userId: string): Promise<boolean> =>
  db.exists`select from quarantined_accounts where user_id = ${userId}`;

/** Stores the profile of an account that is emptied. */
export async function insertQuarantined(
  tx: Tx,
  { id, display_name, bio, avatar_url, slug }: Omit<UserRow, 'slug'> & { slug: string | null },
): Promise<void> {
  await tx`
    insert into quarantined_accounts ${tx({ user_id: id, display_name, bio, avatar_url, slug })}`;
}

/** Stores who decides about a quarantined account. */
export async function setOwner(tx: Tx, userId: string, ownerId: string): Promise<void> {
  await tx`update quarantined_accounts set owner_id = ${ownerId} where user_id = ${userId}`;
}

/** Returns whether it was not marked before. */
export const markShown = (db: Db, ownerId: string): Promise<boolean> =>
  db.changed`
    update quarantined_accounts q set shown_at = now()
    where ${nextOfOwner(db, ownerId)} and q.shown_at is null`;

/** Returns accounts whose owner did not decide in time, the oldest first. */
export const findExpired = (db: Db, limit: number): Promise<string[]> =>
  db.column<string>`
    select user_id from quarantined_accounts
    where quarantined_at < now() - ${retentionInterval('quarantined_accounts')}::interval
    order by quarantined_at limit ${limit}`;

export const exportQuarantined = (db: Db, ownerId: string): Promise<readonly object[]> =>
  db`
    select display_name, bio, avatar_url, slug, quarantined_at, shown_at
    from quarantined_accounts where owner_id = ${ownerId}`;

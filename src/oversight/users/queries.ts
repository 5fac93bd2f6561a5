import type { UserRow } from '../../identity/accounts/accounts.ts';
import type { Db, Tx } from '../../platform/db.ts';

export type ListedUser = Pick<
  UserRow,
  | 'id'
  | 'email'
  | 'display_name'
  | 'slug'
  | 'role'
  | 'email_verified_at'
  | 'phone_verified_at'
  | 'suspended_at'
  | 'petition_count'
  | 'created_at'
>;

const columns = (db: Db) => db`
  id, email, display_name, slug, role, email_verified_at, phone_verified_at, suspended_at,
  petition_count, created_at`;

export async function findListed(db: Db, id: string): Promise<ListedUser | undefined> {
  const [row] = await db<ListedUser[]>`select ${columns(db)} from users where id = ${id}`;
  return row;
}

/** Newest first. */
export async function listUsers(
  db: Db,
  before: string | null,
  limit: number,
): Promise<ListedUser[]> {
  return db<ListedUser[]>`
    select ${columns(db)} from users ${before ? db`where id < ${before}` : db``}
    order by id desc limit ${limit}`;
}

/** Users whose address begins so, whatever its case, by address; after that one where it is given. */
export async function listUsersByEmail(
  db: Db,
  prefix: string,
  after: string | null,
  limit: number,
): Promise<ListedUser[]> {
  const key = db`lower(email) collate "C"`;
  return db<ListedUser[]>`
    select ${columns(db)} from users
    where ${key} >= lower(${prefix}) and ${key} < lower(${prefix}) || ${lastCharacter}
      ${after === null ? db`` : db`and ${key} > lower(${after})`}
    order by ${key} limit ${limit}`;
}

/** What begins with a text is below the text with this behind it. */
const lastCharacter = '\u{10FFFF}';

export type Judged = Pick<UserRow, 'id' | 'role' | 'suspended_at'>;

export async function findForJudgement(db: Db, userIds: string[]): Promise<Judged[]> {
  return db<Judged[]>`
    select id, role, suspended_at from users where id = any(${userIds}::uuid[])`;
}

/**
 * These users and all administrators, as they are once they are locked: of two administrators who judge
 * each other at once, the second finds out what the first did.
 */
export async function lockForJudgement(tx: Tx, userIds: string[]): Promise<Judged[]> {
  return tx<Judged[]>`
    select id, role, suspended_at from users
    where role = 'admin' or id = any(${userIds}::uuid[])
    order by id for no key update`;
}

/**
 * One at a time decides on whether a user's content is in sight. Taken before any row is locked, since the
 * user's own row comes after those of what they wrote.
 */
export async function lockContentOf(tx: Tx, userId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(lower(${`content of ${userId}`}), 0))`;
}

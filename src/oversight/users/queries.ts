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

export async function findListedUser(db: Db, id: string): Promise<ListedUser | undefined> {
  return db.first<ListedUser>`select ${columns(db)} from users where id = ${id}`;
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

/** Returns users whose address starts with the prefix, ignoring case, ordered by address. */
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

/** Texts with a prefix sort below the prefix followed by this character. */
const lastCharacter = '\u{10FFFF}';

/**
 * Returns users whose names have all words of `name`, newest first. The found users are materialized: the planner cannot
 * estimate their number, and would otherwise read users from the newest on until it has enough.
 */
export async function listUsersByName(
  db: Db,
  name: string,
  before: string | null,
  limit: number,
): Promise<ListedUser[]> {
  return db<ListedUser[]>`
    with found as materialized (
      select id from users where name_words(display_name) @@ ${nameQuery(db, name)}
    )
    select ${columns(db)} from users
    where id in (
      select id from found ${before ? db`where id < ${before}` : db``}
      order by id desc limit ${limit})
    order by id desc`;
}

/**
 * SQL expression: a query for the words of a name. Those of three bytes or more also find longer words that begin with
 * them; a shorter beginning would find too many.
 */
const nameQuery = (db: Db, name: string) => db`(
  select string_agg(
    quote_literal(word) || case when octet_length(word) > 2 then ':*' else '' end, ' & ')::tsquery
  from unnest(tsvector_to_array(name_words(${name}))) as word)`;

export type TargetUser = Pick<UserRow, 'id' | 'role' | 'suspended_at'>;

export async function findTargetUsers(db: Db, userIds: string[]): Promise<TargetUser[]> {
  return db<TargetUser[]>`
    select id, role, suspended_at from users where id = any(${userIds}::uuid[])`;
}

/**
 * Locks and returns these users and all administrators: of two administrators who suspend each other at the
 * same time, the second sees what the first did.
 */
export async function lockTargetUsers(tx: Tx, userIds: string[]): Promise<TargetUser[]> {
  return tx<TargetUser[]>`
    select id, role, suspended_at from users
    where role = 'admin' or id = any(${userIds}::uuid[])
    order by id for no key update`;
}

/**
 * Serializes decisions on the visibility of a user's content. Take it before any row lock, since the user's
 * row is locked after their content.
 */
export async function lockContentVisibility(tx: Tx, userId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(lower(${`content of ${userId}`}), 0))`;
}

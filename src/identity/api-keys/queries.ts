import type { Db, Tx } from '../../platform/db.ts';
import type { UserRole } from '../../platform/http/route.ts';
import { retentionInterval } from '../../platform/retention.ts';
import type { ApiKey, ApiKeyUpdate } from './schema.ts';

export type ApiKeyRow = Omit<ApiKey, 'expires_at'> & { expires_at: Date | null };

/** All columns but the hash. */
const columns = (db: Db) => db`
  id, name, prefix, scopes, org_id, environment, last_used_at, expires_at, created_at`;

/** A key that a request presents, and its user. */
export interface PresentedKey extends Pick<
  ApiKeyRow,
  'id' | 'org_id' | 'environment' | 'scopes' | 'expires_at'
> {
  user_id: string;
  role: UserRole;
  suspended: boolean;
  /** The user is owner or admin of the organization, or the key acts for none. */
  may_act: boolean;
  /** Until when the presented text is valid, if a rotation has replaced it. */
  replaced_until: Date | null;
}

export async function findByHash(db: Db, keyHash: Buffer): Promise<PresentedKey | undefined> {
  return db.first<PresentedKey>`
    with presented as (
      select id, null::timestamptz as replaced_until from api_keys where key_hash = ${keyHash}
      union all
      select key_id, expires_at from replaced_api_keys where key_hash = ${keyHash}
    )
    select k.id, k.user_id, u.role, u.suspended_at is not null as suspended, k.org_id,
      k.org_id is null or exists (
        select from memberships m
        where m.org_id = k.org_id and m.user_id = k.user_id and m.role in ('owner', 'admin')
      ) as may_act,
      k.environment, k.scopes, k.expires_at, presented.replaced_until
    from presented
    join api_keys k using (id)
    join users u on u.id = k.user_id`;
}

/** Whose keys a caller can access. Callers with an organization's key access only its keys. */
export interface Owner {
  userId: string;
  onlyOrgId: string | null;
}

const ownedBy = (db: Db, { userId, onlyOrgId }: Owner) => db`
  user_id = ${userId} ${onlyOrgId ? db`and org_id = ${onlyOrgId}` : db``}`;

/** Returns an owner's keys, newest first. */
export async function listKeys(
  db: Db,
  owner: Owner,
  beforeId: string | null,
  limit: number,
): Promise<ApiKeyRow[]> {
  return db<ApiKeyRow[]>`
    select ${columns(db)} from api_keys
    where ${ownedBy(db, owner)} ${beforeId ? db`and id < ${beforeId}` : db``}
    order by id desc
    limit ${limit}`;
}

/** Returns the names of all keys of a user that work, newest first. */
export const namesOfKeys = (db: Db, userId: string): Promise<string[]> =>
  db.column<string>`
    select name from api_keys
    where user_id = ${userId} and (expires_at is null or expires_at > now())
    order by id desc`;

export async function findKey(db: Db, owner: Owner, id: string): Promise<ApiKeyRow | undefined> {
  return db.first<ApiKeyRow>`
    select ${columns(db)} from api_keys where id = ${id} and ${ownedBy(db, owner)}`;
}

/** Returns the user's role, and keeps the organization from being deleted until the transaction ends. */
export async function holdOrganization(
  tx: Tx,
  orgId: string,
  userId: string,
): Promise<{ role: string | null } | undefined> {
  return tx.first<{ role: string | null }>`
    select m.role
    from organizations o
    left join memberships m on m.org_id = o.id and m.user_id = ${userId}
    where o.id = ${orgId}
    for key share of o`;
}

/** Lets one transaction at a time create keys for the user. Returns false if the user does not exist. */
export async function lockUser(tx: Tx, userId: string): Promise<boolean> {
  return tx.exists`select from users where id = ${userId} for no key update`;
}

export async function countKeys(tx: Tx, userId: string): Promise<number> {
  return tx.value<number>`select count(*)::integer as n from api_keys where user_id = ${userId}`;
}

export interface NewKey extends Omit<ApiKeyRow, 'last_used_at' | 'created_at'> {
  user_id: string;
  key_hash: Buffer;
}

export async function insertKey(tx: Tx, key: NewKey): Promise<ApiKeyRow> {
  return tx.one<ApiKeyRow>`insert into api_keys ${tx(key)} returning ${columns(tx)}`;
}

/** Returns undefined if the owner has no such key. */
export async function updateKey(
  db: Db,
  owner: Owner,
  id: string,
  { name, scopes }: ApiKeyUpdate,
): Promise<ApiKeyRow | undefined> {
  return db.first<ApiKeyRow>`
    update api_keys set name = coalesce(${name ?? null}, name),
      scopes = coalesce(${scopes ?? null}, scopes)
    where id = ${id} and ${ownedBy(db, owner)}
    returning ${columns(db)}`;
}

/** Returns an owner's key, locked until the transaction ends. */
export async function lockKey(tx: Tx, owner: Owner, id: string): Promise<ApiKeyRow | undefined> {
  return tx.first<ApiKeyRow>`
    select ${columns(tx)} from api_keys where id = ${id} and ${ownedBy(tx, owner)}
    for no key update`;
}

/** Returns how many replaced texts of a key are still valid. */
export async function countReplaced(tx: Tx, id: string, now: Date): Promise<number> {
  return tx.value<number>`
    select count(*)::integer as n from replaced_api_keys
    where key_id = ${id} and expires_at > ${now}`;
}

/** Replaces the text of a locked key. The previous one stays valid until its grace period ends. */
export async function replaceKey(
  tx: Tx,
  id: string,
  replacement: Pick<NewKey, 'key_hash' | 'prefix'>,
  graceEndsAt: Date,
): Promise<ApiKeyRow> {
  await tx`
    insert into replaced_api_keys (key_hash, key_id, expires_at)
    select key_hash, id, ${graceEndsAt} from api_keys where id = ${id}`;
  return tx.one<ApiKeyRow>`
    update api_keys set ${tx(replacement)} where id = ${id} returning ${columns(tx)}`;
}

/** Deletes replaced texts after a month, for which they are answered with a specific error. */
export async function deleteReplaced(db: Db): Promise<void> {
  await db`delete from replaced_api_keys where expires_at < now() - ${retentionInterval('replaced_api_keys')}::interval`;
}

/** Returns false if the owner has no such key. */
export async function deleteKey(db: Db, owner: Owner, id: string): Promise<boolean> {
  return db.changed`delete from api_keys where id = ${id} and ${ownedBy(db, owner)}`;
}

export async function deleteAllKeys(db: Db, userId: string): Promise<void> {
  await db`delete from api_keys where user_id = ${userId}`;
}

export async function deleteKeysSince(db: Db, userId: string, since: Date): Promise<void> {
  await db`delete from api_keys where user_id = ${userId} and created_at >= ${since}`;
}

/**
 * Stores when keys were last used. Skips locked rows, so that processes and erasures do not wait for each
 * other: the next use will be stored.
 */
export async function recordUses(db: Db, uses: [keyId: string, at: Date][]): Promise<void> {
  await db`
    with used as (
      select * from unnest(${uses.map(([id]) => id)}::uuid[],
        ${uses.map(([, at]) => at.toISOString())}::timestamptz[]) as u (id, at)
    ),
    free as (
      select k.id from api_keys k join used using (id) for no key update of k skip locked
    )
    update api_keys k set last_used_at = greatest(k.last_used_at, used.at)
    from used join free using (id)
    where k.id = used.id`;
}

export async function exportKeys(db: Db, userId: string): Promise<readonly object[]> {
  return db`select ${columns(db)} from api_keys where user_id = ${userId} order by id`;
}

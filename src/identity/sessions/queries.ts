import type { Db, Tx } from '../../platform/db.ts';
import type { UserRole } from '../../platform/http/route.ts';
import { retentionInterval } from '../../platform/retention.ts';
import type { UserRow } from '../accounts/accounts.ts';
import type { StoredSource } from './source.ts';

/** Sessions in force that one account may have. */
const maxSessions = 100;

interface NewSession extends StoredSource {
  id: string;
  userId: string;
}

/** Stores a session. Ends the oldest ones if there are too many. */
export async function insertSession(
  db: Db,
  { id, userId, device, country }: NewSession,
): Promise<void> {
  await db`
    insert into sessions (id, user_id, device, country, last_seen_at)
    values (${id}, ${userId}, ${device}, ${country}, now())`;
  await db`
    with ended as (
      update sessions set ended_at = now()
      where user_id = ${userId} and ended_at is null and id <= (
        select id from sessions where user_id = ${userId} and ended_at is null
        order by id desc
        offset ${maxSessions}
        limit 1)
      returning id
    )
    insert into withdrawn_credentials (id, reason, expires_at)
    select id, 'ended', now() + interval '2 hours' from ended
    on conflict (id) do nothing`;
}

/** Stores that a session is used now, and from where as far as that is known. */
export async function recordUse(
  db: Db,
  id: string,
  { device, country }: StoredSource,
): Promise<void> {
  await db`
    update sessions set last_seen_at = now(), device = coalesce(${device}, device),
      country = coalesce(${country}, country)
    where id = ${id}`;
}

/** SQL expression: when the session `s` was last used. */
const lastSeen = (db: Db) => db`coalesce(s.last_seen_at, s.created_at)`;

/**
 * SQL condition: the session `s` has a refresh token or a cookie that is valid. `offset 0` makes PostgreSQL look them up by
 * session; else it reads all tokens for an account with many sessions.
 */
const isInForce = (db: Db) => db`
  s.ended_at is null and (
    exists (
      select from refresh_tokens t
      where t.session_id = s.id and t.used_at is null and t.expires_at > now() offset 0)
    or exists (
      select from browser_sessions b
      where b.session_id = s.id and b.rotated_at > now() - ${retentionInterval('unused_sessions')}::interval offset 0))`;

export interface SessionRow extends StoredSource {
  id: string;
  created_at: Date;
  last_seen_at: Date;
}

/**
 * Returns the sessions of a user that are in force, newest first. Measured with 50,000 ended sessions of one account among
 * 650,000: 6 ms. Without `materialized` PostgreSQL reads all sessions by id, in 700 ms.
 */
export async function listSessions(
  db: Db,
  userId: string,
  beforeId: string | null,
  limit: number,
): Promise<SessionRow[]> {
  return db<SessionRow[]>`
    with own as materialized (select * from sessions where user_id = ${userId} and ended_at is null)
    select s.id, s.device, s.country, s.created_at, ${lastSeen(db)} as last_seen_at
    from own s
    where ${isInForce(db)} ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

export type AlarmedUser = Pick<UserRow, 'email' | 'email_verified_at'>;

/**
 * Returns the user if a sign-in is to be mailed to them: device and country are new for the last 90 days. Sessions that were stored
 * without both, before the columns were, do not show what is new.
 */
export async function findAlarmedUser(
  db: Db,
  userId: string,
  { device, country }: StoredSource,
): Promise<AlarmedUser | undefined> {
  return db.first<AlarmedUser>`
    select u.email, u.email_verified_at from users u
    where u.id = ${userId} and u.sign_in_alerts
      and exists (
        select from sessions s
        where s.user_id = u.id and (s.device is not null or s.country is not null))
      and not exists (
        select from sessions s
        where s.user_id = u.id and ${lastSeen(db)} > now() - ${retentionInterval('ended_sessions')}::interval
          and (s.device is not distinct from ${device} or s.country is not distinct from ${country}))`;
}

export async function findSession(
  db: Db,
  id: string,
): Promise<(StoredSource & { user_id: string; created_at: Date }) | undefined> {
  return db.first<StoredSource & { user_id: string; created_at: Date }>`
    select user_id, device, country, created_at from sessions where id = ${id}`;
}

/** Whether the user has such a session that is in force. */
export async function hasSession(db: Db, userId: string, id: string): Promise<boolean> {
  return db.exists`
    select from sessions s where s.id = ${id} and s.user_id = ${userId} and ${isInForce(db)}`;
}

export async function insertRefreshToken(
  tx: Tx,
  tokenHash: Buffer,
  sessionId: string,
): Promise<void> {
  await tx`
    insert into refresh_tokens (token_hash, session_id, expires_at)
    values (${tokenHash}, ${sessionId}, now() + ${retentionInterval('unused_sessions')}::interval)`;
}

export interface TokenUse {
  session_id: string;
  user_id: string;
  /** This call was the first to use the token, and it was still valid. */
  fresh: boolean;
  /** The token was never used, and has expired. */
  expired: boolean;
}

/**
 * Marks a refresh token as used. Of concurrent calls, only one gets `fresh`. Locks the session before its
 * tokens, in the same order as ending or erasing it.
 */
export async function useRefreshToken(tx: Tx, tokenHash: Buffer): Promise<TokenUse | undefined> {
  await tx`
    select from sessions
    where id = (select session_id from refresh_tokens where token_hash = ${tokenHash})
    for no key update`;
  return tx.first<TokenUse>`
    with used as (
      update refresh_tokens set used_at = now()
      where token_hash = ${tokenHash} and used_at is null and expires_at > now()
      returning token_hash
    )
    select t.session_id, s.user_id, t.used_at is null and t.expires_at <= now() as expired,
      s.ended_at is null and used.token_hash is not null as fresh
    from refresh_tokens t
    join sessions s on s.id = t.session_id
    left join used on used.token_hash = t.token_hash
    where t.token_hash = ${tokenHash}`;
}

export async function findRefreshToken(
  db: Db,
  tokenHash: Buffer,
): Promise<Pick<TokenUse, 'session_id' | 'user_id'> | undefined> {
  return db.first<Pick<TokenUse, 'session_id' | 'user_id'>>`
    select t.session_id, s.user_id
    from refresh_tokens t join sessions s on s.id = t.session_id
    where t.token_hash = ${tokenHash}`;
}

/** Ends a session, or all of a user but one, and revokes their access tokens. */
export async function endSessions(
  db: Db,
  selector: { sessionId: string } | { userId: string; exceptId?: string; since?: Date },
): Promise<void> {
  const matching =
    'sessionId' in selector
      ? db`id = ${selector.sessionId}`
      : db`user_id = ${selector.userId}
        ${selector.exceptId ? db`and id <> ${selector.exceptId}` : db``}
        ${selector.since ? db`and created_at >= ${selector.since}` : db``}`;
  await db`
    with ended as (
      update sessions set ended_at = now() where ${matching} and ended_at is null returning id
    )
    insert into withdrawn_credentials (id, reason, expires_at)
    select id, 'ended', now() + interval '2 hours' from ended
    on conflict (id) do nothing`;
}

export interface Revocation {
  id: string;
  reason: 'ended' | 'suspended' | 'restored';
  expires_at: Date;
}

/** Revokes or restores access tokens by their own id or that of their session, user or client. */
export async function storeRevocations(
  db: Db,
  ids: string[],
  reason: Revocation['reason'],
): Promise<void> {
  await db`
    insert into withdrawn_credentials (id, reason, expires_at)
    select id, ${reason}, now() + interval '2 hours' from unnest(${ids}::uuid[]) as r(id)
    on conflict (id) do update set reason = excluded.reason, expires_at = excluded.expires_at,
      changed_at = clock_timestamp()`;
}

/** Returns the revocations of the last seconds, or by default all that have not expired. */
export async function readRevocations(db: Db, lastSeconds?: number): Promise<Revocation[]> {
  return db<Revocation[]>`
    select id, reason, expires_at from withdrawn_credentials
    where ${
      lastSeconds === undefined
        ? db`expires_at > now()`
        : db`changed_at > clock_timestamp() - ${lastSeconds} * interval '1 second'`
    }`;
}

export async function usersWithRole(db: Db): Promise<{ id: string; role: UserRole }[]> {
  return db<{ id: string; role: UserRole }[]>`select id, role from users where role <> 'user'`;
}

export interface SigningKeyRow {
  kid: string;
  public_jwk: { kty: string; crv: string; x: string };
  private_sealed: Uint8Array;
}

/** Returns the keys of tokens that can still be valid, the one to sign with first. */
export async function signingKeys(db: Db): Promise<SigningKeyRow[]> {
  return db<SigningKeyRow[]>`
    select kid, public_jwk, private_sealed from signing_keys order by created_at desc, kid`;
}

export async function insertSigningKey(
  db: Db,
  key: { kid: string; publicJwk: object; privateSealed: Buffer },
): Promise<void> {
  await db`
    insert into signing_keys (kid, public_jwk, private_sealed)
    values (${key.kid}, ${db.json(key.publicJwk)}, ${key.privateSealed})`;
}

/** Lets one transaction at a time create a key. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('signing_keys'))`;
}

/**
 * Deletes expired tokens, revocations and signing keys, and sessions that are no longer needed. An ended session is kept
 * for 90 days, by which a sign-in from a new device is recognized, unless a later one has the same device and country. The
 * last one of an account is kept, so that a sign-in after a long time is not taken for the first.
 */
export async function deleteExpired(db: Db): Promise<void> {
  // Kept for a while, to distinguish expired tokens from unknown ones.
  await db`delete from refresh_tokens where expires_at < now() - ${retentionInterval('expired_tokens')}::interval`;
  // A browser session has no tokens; its cookie is valid for 30 days after its last renewal.
  await db`
    update sessions s set ended_at = now()
    where ended_at is null and created_at < now() - interval '1 day'
      and not exists (select from refresh_tokens t where t.session_id = s.id)
      and not exists (
        select from browser_sessions b
        where b.session_id = s.id and b.rotated_at > now() - ${retentionInterval('unused_sessions')}::interval - interval '1 day')`;
  await db`
    delete from sessions s where ended_at is not null and created_at < now() - interval '1 day'
      and not exists (select from refresh_tokens t where t.session_id = s.id)
      and exists (
        select from sessions later
        where later.user_id = s.user_id
          and (coalesce(later.last_seen_at, later.created_at), later.id) > (${lastSeen(db)}, s.id)
          and (${lastSeen(db)} < now() - ${retentionInterval('ended_sessions')}::interval or (
            later.device is not distinct from s.device
            and later.country is not distinct from s.country)))`;
  await db`delete from withdrawn_credentials where expires_at < now()`;
  // Keys are kept for two hours after their replacement; tokens live for one hour.
  await db`
    delete from signing_keys k where exists (
      select from signing_keys newer
      where newer.created_at > k.created_at and newer.created_at < now() - interval '2 hours')`;
}

export async function exportSessions(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select id, device, country, created_at, last_seen_at, ended_at
    from sessions where user_id = ${userId} order by created_at`;
}

/** Whether a session began within the last ten minutes. */
export const isRecent = (db: Db, id: string): Promise<boolean> =>
  db.exists`
    select from sessions
    where id = ${id} and ended_at is null and created_at > now() - interval '10 minutes'`;

import type { Db, Tx } from '../../platform/db.ts';
import type { OAuthScope } from '../../platform/http/route.ts';
import { retentionInterval } from '../../platform/retention.ts';
import type { ClientRow } from './client-queries.ts';
import type { OAuthGrant } from './schema.ts';

/** A valid authorization request. */
export interface AuthorizationRequest {
  client: ClientRow;
  redirectUri: string;
  scopes: OAuthScope[];
  codeChallenge: string | null;
}

export interface NewAuthorization extends AuthorizationRequest {
  id: string;
  /** Id of the grant, if this is the user's first one to the client. */
  grantId: string;
  userId: string;
  codeHash: Buffer;
}

/** Stores an authorization with its code, which is valid for 60 s. Returns false if the client was deleted. */
export async function insertAuthorization(
  db: Db,
  { id, grantId, userId, client, codeHash, redirectUri, codeChallenge, scopes }: NewAuthorization,
): Promise<boolean> {
  return db.changed`
    with allowed as (
      insert into oauth_grants as known (id, user_id, client_id, scopes)
      select ${grantId}, ${userId}, id, ${scopes}
      from oauth_clients where id = ${client.id} for key share
      on conflict on constraint oauth_grants_once do update set scopes = array(
        select unnest(known.scopes) union select unnest(excluded.scopes))
      returning id
    )
    insert into oauth_authorizations
      (id, grant_id, code_hash, redirect_uri, code_challenge, scopes, expires_at)
    select ${id}, id, ${codeHash}, ${redirectUri}, ${codeChallenge}, ${scopes},
      now() + interval '60 seconds'
    from allowed`;
}

/** A hashed code or refresh token of an authorization. */
export type AuthorizationSecret = { code: Buffer } | { refreshToken: Buffer };

export interface AuthorizationRow {
  id: string;
  grant_id: string;
  client_id: string;
  user_id: string;
  scopes: OAuthScope[];
  redirect_uri: string;
  code_challenge: string | null;
  expires_at: Date;
  /** The secret was used before. */
  used: boolean;
  /** The code and all refresh tokens have expired. */
  expired: boolean;
  suspended: boolean;
}

/** Finds the authorization of a code or refresh token. */
export async function findAuthorization(
  db: Db,
  secret: AuthorizationSecret,
): Promise<AuthorizationRow | undefined> {
  return db.first<AuthorizationRow>`
    select a.id, a.grant_id, g.client_id, g.user_id, a.scopes, a.redirect_uri, a.code_challenge,
      a.expires_at, secret.used_at is not null as used, a.expires_at <= now() as expired,
      u.suspended_at is not null as suspended
    from ${source(db, secret)} secret
    join oauth_authorizations a on a.id = secret.id
    join oauth_grants g on g.id = a.grant_id
    join users u on u.id = g.user_id`;
}

/**
 * Locks the grant, then finds its authorization. One statement for both would read the state from before it
 * waited for the lock.
 */
export async function lockAuthorization(
  tx: Tx,
  secret: AuthorizationSecret,
): Promise<AuthorizationRow | undefined> {
  await tx`
    select from oauth_grants where id = (
      select a.grant_id from ${source(tx, secret)} secret
      join oauth_authorizations a on a.id = secret.id)
    for no key update`;
  return findAuthorization(tx, secret);
}

const source = (db: Db, secret: AuthorizationSecret) =>
  'code' in secret
    ? db`(select id, exchanged_at as used_at from oauth_authorizations
        where code_hash = ${secret.code})`
    : db`(select authorization_id as id, used_at from oauth_refresh_tokens
        where token_hash = ${secret.refreshToken})`;

/** Invalidates the code and refresh tokens of an authorization, and stores a new refresh token for 30 days. */
export async function renewAuthorization(
  tx: Tx,
  { id, grant_id }: AuthorizationRow,
  refreshTokenHash: Buffer,
): Promise<void> {
  await tx`
    with used as (
      update oauth_refresh_tokens set used_at = now()
      where authorization_id = ${id} and used_at is null
    ), granted as (
      update oauth_grants set last_used_at = now() where id = ${grant_id}
    )
    update oauth_authorizations
    set exchanged_at = coalesce(exchanged_at, now()), expires_at = now() + ${retentionInterval('oauth_tokens')}::interval
    where id = ${id}`;
  await tx`
    insert into oauth_refresh_tokens (token_hash, authorization_id)
    values (${refreshTokenHash}, ${id})`;
}

/** Deletes an authorization with its code and refresh tokens. */
export async function deleteAuthorization(tx: Tx, id: string): Promise<void> {
  await tx`delete from oauth_authorizations where id = ${id}`;
}

export async function listGrants(
  db: Db,
  userId: string,
  before: string | null,
  limit: number,
): Promise<OAuthGrant[]> {
  return db<OAuthGrant[]>`
    select g.id, g.client_id, c.name as client_name, g.scopes, g.created_at, g.last_used_at
    from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.user_id = ${userId} ${before ? db`and g.id < ${before}` : db``}
    order by g.id desc limit ${limit}`;
}

/** Deletes a grant. Returns the ids of its authorizations, or undefined if the user has no such grant. */
export async function deleteGrant(
  tx: Tx,
  id: string,
  userId: string,
): Promise<string[] | undefined> {
  const isFound = await tx.exists`
    select from oauth_grants where id = ${id} and user_id = ${userId} for update`;
  if (!isFound) return undefined;
  const ended = await tx.column<string>`
    delete from oauth_authorizations where grant_id = ${id} returning id`;
  await tx`delete from oauth_grants where id = ${id}`;
  return ended;
}

/** Deletes all grants of a user. Returns the ids of their authorizations. */
export async function deleteGrantsOf(tx: Tx, userId: string, since?: Date): Promise<string[]> {
  const made = since ? tx`and created_at >= ${since}` : tx``;
  const ended = await tx.column<string>`
    delete from oauth_authorizations where grant_id in (
      select id from oauth_grants where user_id = ${userId} ${made} for update)
    returning id`;
  await tx`delete from oauth_grants where user_id = ${userId} ${made}`;
  return ended;
}

export async function exportGrants(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select c.name as client_name, g.client_id, g.scopes, g.created_at, g.last_used_at
    from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.user_id = ${userId} order by g.id`;
}

/** Deletes expired authorizations. Used tokens are kept for their full lifetime, to detect reuse. */
export async function deleteExpired(db: Db): Promise<void> {
  await db`delete from oauth_authorizations where expires_at < now() - ${retentionInterval('oauth_authorizations')}::interval`;
  await db`delete from oauth_refresh_tokens where used_at < now() - ${retentionInterval('oauth_tokens')}::interval`;
}

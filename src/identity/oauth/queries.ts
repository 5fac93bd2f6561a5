import type { Db, Tx } from '../../platform/db.ts';
import type { OAuthScope } from '../../platform/http/route.ts';

export interface NewAuthorization {
  id: string;
  /** Of the grant, where this is the first that the user gives to the client. */
  grantId: string;
  userId: string;
  clientId: string;
  codeHash: Buffer;
  redirectUri: string;
  codeChallenge: string | null;
  scopes: OAuthScope[];
}

/**
 * Stores that a user allows a client something, and the code for it, which lives for 60 s. False where
 * the client is no more.
 */
export async function insertAuthorization(db: Db, given: NewAuthorization): Promise<boolean> {
  const result = await db`
    with allowed as (
      insert into oauth_grants as known (id, user_id, client_id, scopes)
      select ${given.grantId}, ${given.userId}, id, ${given.scopes}
      from oauth_clients where id = ${given.clientId} for key share
      on conflict on constraint oauth_grants_once do update set scopes = array(
        select unnest(known.scopes) union select unnest(excluded.scopes))
      returning id
    )
    insert into oauth_authorizations
      (id, grant_id, code_hash, redirect_uri, code_challenge, scopes, expires_at)
    select ${given.id}, id, ${given.codeHash}, ${given.redirectUri}, ${given.codeChallenge},
      ${given.scopes}, now() + interval '60 seconds'
    from allowed`;
  return result.count === 1;
}

/** A secret that was handed out for an authorization. */
export type Handed = { code: Buffer } | { refreshToken: Buffer };

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
  /** Neither the code nor any refresh token counts any more. */
  expired: boolean;
  suspended: boolean;
}

/** The authorization of a code or refresh token, by the hash of it. */
export async function findAuthorization(
  db: Db,
  handed: Handed,
): Promise<AuthorizationRow | undefined> {
  const [row] = await db<AuthorizationRow[]>`
    select a.id, a.grant_id, g.client_id, g.user_id, a.scopes, a.redirect_uri, a.code_challenge,
      a.expires_at, handed.used_at is not null as used, a.expires_at <= now() as expired,
      u.suspended_at is not null as suspended
    from ${source(db, handed)} handed
    join oauth_authorizations a on a.id = handed.id
    join oauth_grants g on g.id = a.grant_id
    join users u on u.id = g.user_id`;
  return row;
}

/**
 * The same, as it is once its grant is locked: all that changes it waits. A statement that locks and
 * reads at once would read what was true before it waited.
 */
export async function lockAuthorization(
  tx: Tx,
  handed: Handed,
): Promise<AuthorizationRow | undefined> {
  await tx`
    select from oauth_grants where id = (
      select a.grant_id from ${source(tx, handed)} handed
      join oauth_authorizations a on a.id = handed.id)
    for no key update`;
  return findAuthorization(tx, handed);
}

const source = (db: Db, handed: Handed) =>
  'code' in handed
    ? db`(select id, exchanged_at as used_at from oauth_authorizations
        where code_hash = ${handed.code})`
    : db`(select authorization_id as id, used_at from oauth_refresh_tokens
        where token_hash = ${handed.refreshToken})`;

/** Uses up what an authorization handed out so far, and hands out a refresh token for 30 days. */
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
    set exchanged_at = coalesce(exchanged_at, now()), expires_at = now() + interval '30 days'
    where id = ${id}`;
  await tx`
    insert into oauth_refresh_tokens (token_hash, authorization_id)
    values (${refreshTokenHash}, ${id})`;
}

/** Ends an authorization: nothing that it handed out counts any more. */
export async function deleteAuthorization(tx: Tx, id: string): Promise<void> {
  await tx`delete from oauth_authorizations where id = ${id}`;
}

export interface GrantRow {
  id: string;
  client_id: string;
  client_name: string;
  scopes: OAuthScope[];
  created_at: Date;
  last_used_at: Date | null;
}

export async function listGrants(
  db: Db,
  userId: string,
  before: string | null,
  limit: number,
): Promise<GrantRow[]> {
  return db<GrantRow[]>`
    select g.id, g.client_id, c.name as client_name, g.scopes, g.created_at, g.last_used_at
    from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.user_id = ${userId} ${before ? db`and g.id < ${before}` : db``}
    order by g.id desc limit ${limit}`;
}

/**
 * Withdraws a grant. Gives the ids of the authorizations that end with it, or undefined where the user
 * has no such grant.
 */
export async function deleteGrant(
  tx: Tx,
  id: string,
  userId: string,
): Promise<string[] | undefined> {
  const [grant] = await tx`
    select from oauth_grants where id = ${id} and user_id = ${userId} for update`;
  if (!grant) return undefined;
  const ended = await tx<{ id: string }[]>`
    delete from oauth_authorizations where grant_id = ${id} returning id`;
  await tx`delete from oauth_grants where id = ${id}`;
  return ended.map((authorization) => authorization.id);
}

/** Withdraws all grants of a user. Gives the ids of the authorizations that end with them. */
export async function deleteGrantsOf(tx: Tx, userId: string): Promise<string[]> {
  const ended = await tx<{ id: string }[]>`
    delete from oauth_authorizations where grant_id in (
      select id from oauth_grants where user_id = ${userId} for update)
    returning id`;
  await tx`delete from oauth_grants where user_id = ${userId}`;
  return ended.map(({ id }) => id);
}

export async function grantsOf(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select c.name as client_name, g.client_id, g.scopes, g.created_at, g.last_used_at
    from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.user_id = ${userId} order by g.id`;
}

/** Removes what can matter to nobody any more. Used tokens are known for as long as they would live. */
export async function deleteExpired(db: Db): Promise<void> {
  await db`delete from oauth_authorizations where expires_at < now() - interval '1 day'`;
  await db`delete from oauth_refresh_tokens where used_at < now() - interval '30 days'`;
}

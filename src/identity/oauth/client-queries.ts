import { transaction, type Db, type Tx } from '../../platform/db.ts';
import type { OAuthClient } from './schema.ts';

/** A client as requests of applications need it. */
export interface ClientRow extends Pick<OAuthClient, 'id' | 'redirect_uris' | 'name' | 'scopes'> {
  owner_id: string;
  /** Null for public clients. */
  secret_hash: Uint8Array | null;
}

/** The columns that owners see. */
const columns = (db: Db) => db`
  id, id as client_id, name, redirect_uris, secret_hash is not null as confidential, scopes,
  created_at`;

/** Stores a client. Returns undefined if its owner has `maxCount` already. Locks the owner's row. */
export async function insertClient(
  db: Db,
  maxCount: number,
  client: ClientRow,
): Promise<OAuthClient | undefined> {
  return transaction(db, async (tx) => {
    await tx`select from users where id = ${client.owner_id} for no key update`;
    const count = await tx.value<number>`
      select count(*)::integer as n from oauth_clients where owner_id = ${client.owner_id}`;
    if (count >= maxCount) return undefined;
    return tx.one<OAuthClient>`insert into oauth_clients ${tx(client)} returning ${columns(tx)}`;
  });
}

export async function listClients(
  db: Db,
  ownerId: string,
  before: string | null,
  limit: number,
): Promise<OAuthClient[]> {
  return db<OAuthClient[]>`
    select ${columns(db)} from oauth_clients
    where owner_id = ${ownerId} ${before ? db`and id < ${before}` : db``}
    order by id desc limit ${limit}`;
}

export async function findClientOf(
  db: Db,
  id: string,
  ownerId: string,
): Promise<OAuthClient | undefined> {
  return db.first<OAuthClient>`
    select ${columns(db)} from oauth_clients where id = ${id} and owner_id = ${ownerId}`;
}

/** Returns a client of the owner, locked until the transaction ends. */
export async function lockClientOf(
  tx: Tx,
  id: string,
  ownerId: string,
): Promise<OAuthClient | undefined> {
  return tx.first<OAuthClient>`
    select ${columns(tx)} from oauth_clients where id = ${id} and owner_id = ${ownerId}
    for no key update`;
}

export async function updateClient(
  tx: Tx,
  id: string,
  changes: Pick<OAuthClient, 'name' | 'redirect_uris' | 'scopes'>,
): Promise<OAuthClient> {
  return tx.one<OAuthClient>`
    update oauth_clients set ${tx(changes)} where id = ${id} returning ${columns(tx)}`;
}

/** Replaces the secret of a confidential client. Returns false if there is no such client. */
export async function setSecret(
  db: Db,
  id: string,
  ownerId: string,
  secretHash: Buffer,
): Promise<boolean> {
  return db.changed`
    update oauth_clients set secret_hash = ${secretHash}
    where id = ${id} and owner_id = ${ownerId} and secret_hash is not null`;
}

/** Deletes a client with its grants. Returns false if there is none. */
export async function deleteClient(tx: Tx, id: string, ownerId: string): Promise<boolean> {
  return tx.changed`delete from oauth_clients where id = ${id} and owner_id = ${ownerId}`;
}

/** Deletes all clients of a user. Returns their ids. */
export async function deleteClientsOf(tx: Tx, ownerId: string): Promise<string[]> {
  return tx.column<string>`
    delete from oauth_clients where owner_id = ${ownerId} returning id`;
}

/** Finds a client whose owner is not suspended. */
export async function findWorkingClient(db: Db, id: string): Promise<ClientRow | undefined> {
  return db.first<ClientRow>`
    select c.* from oauth_clients c join users owner on owner.id = c.owner_id
    where c.id = ${id} and owner.suspended_at is null`;
}

export async function exportClients(db: Db, ownerId: string): Promise<readonly object[]> {
  return db`
    select id, name, redirect_uris, secret_hash is not null as confidential, scopes, created_at
    from oauth_clients where owner_id = ${ownerId} order by id`;
}

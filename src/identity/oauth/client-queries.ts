import { transaction, type Db, type Tx } from '../../platform/db.ts';
import type { OAuthScope } from '../../platform/http/route.ts';

export interface ClientRow {
  id: string;
  owner_id: string;
  name: string;
  redirect_uris: string[];
  /** Null for public clients. */
  secret_hash: Uint8Array | null;
  scopes: OAuthScope[];
  created_at: Date;
}

/** Stores a client. Returns undefined if its owner has `maxCount` already. Locks the owner's row. */
export async function insertClient(
  db: Db,
  maxCount: number,
  client: Omit<ClientRow, 'created_at'>,
): Promise<ClientRow | undefined> {
  return transaction(db, async (tx) => {
    await tx`select from users where id = ${client.owner_id} for no key update`;
    const owned = await tx.one<{ count: number }>`
      select count(*)::integer as count from oauth_clients where owner_id = ${client.owner_id}`;
    if (owned.count >= maxCount) return undefined;
    return tx.first<ClientRow>`insert into oauth_clients ${tx(client)} returning *`;
  });
}

export async function listClients(
  db: Db,
  ownerId: string,
  before: string | null,
  limit: number,
): Promise<ClientRow[]> {
  return db<ClientRow[]>`
    select * from oauth_clients
    where owner_id = ${ownerId} ${before ? db`and id < ${before}` : db``}
    order by id desc limit ${limit}`;
}

export async function findClientOf(
  db: Db,
  id: string,
  ownerId: string,
): Promise<ClientRow | undefined> {
  return db.first<ClientRow>`
    select * from oauth_clients where id = ${id} and owner_id = ${ownerId}`;
}

/** Returns a client of the owner, locked until the transaction ends. */
export async function lockClientOf(
  tx: Tx,
  id: string,
  ownerId: string,
): Promise<ClientRow | undefined> {
  return tx.first<ClientRow>`
    select * from oauth_clients where id = ${id} and owner_id = ${ownerId} for no key update`;
}

export async function updateClient(
  tx: Tx,
  { id, name, redirect_uris, scopes }: ClientRow,
): Promise<void> {
  await tx`
    update oauth_clients
    set name = ${name}, redirect_uris = ${redirect_uris}, scopes = ${scopes}
    where id = ${id}`;
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

export async function clientsOf(db: Db, ownerId: string): Promise<readonly object[]> {
  return db`
    select id, name, redirect_uris, secret_hash is not null as confidential, scopes, created_at
    from oauth_clients where owner_id = ${ownerId} order by id`;
}

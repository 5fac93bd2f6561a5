import type { Db, Tx } from '../../platform/db.ts';

export interface SharedNetwork {
  id: string;
  /** In CIDR form. */
  network: string;
  note: string;
  /** Signatures an hour from each of its addresses. */
  limit: number;
  created_at: Date;
}

const columns = (db: Db) => db`id, network::text, note, hourly_limit as limit, created_at`;

/** Returns all rows: administrators add them by hand, so they are few. */
export async function findSharedNetworks(db: Db): Promise<Pick<SharedNetwork, 'network'>[]> {
  return db<SharedNetwork[]>`select network::text from shared_networks`;
}

export async function listSharedNetworks(
  db: Db,
  beforeId: string | null,
  limit: number,
): Promise<SharedNetwork[]> {
  return db<SharedNetwork[]>`
    select ${columns(db)} from shared_networks
    ${beforeId ? db`where id < ${beforeId}` : db``}
    order by id desc
    limit ${limit}`;
}

/** Returns undefined if the network exists already. */
export async function insertSharedNetwork(
  tx: Tx,
  { id, network, note, limit }: Omit<SharedNetwork, 'created_at'>,
): Promise<SharedNetwork | undefined> {
  return tx.first<SharedNetwork>`
    insert into shared_networks (id, network, note, hourly_limit)
    values (${id}, ${network}, ${note}, ${limit})
    on conflict (network) do nothing
    returning ${columns(tx)}`;
}

/** Returns the deleted network, if it existed. */
export async function deleteSharedNetwork(tx: Tx, id: string): Promise<string | undefined> {
  return tx.value<
    string | undefined
  >`delete from shared_networks where id = ${id} returning network::text`;
}

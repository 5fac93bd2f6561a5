import type { Db, Tx } from '../../platform/db.ts';
import type { blockActions, blockKinds } from './schema.ts';

export interface SigningBlockRow {
  id: string;
  /** Null: on all petitions. */
  petition_id: string | null;
  kind: (typeof blockKinds)[number];
  value: string;
  action: (typeof blockActions)[number];
  reason: string;
  /** Null after the account was erased. */
  created_by: string | null;
  created_at: Date;
  ends_at: Date | null;
}

/** Returns all blocks in force: moderators add them by hand, so they are few. */
export const findBlocks = (db: Db): Promise<SigningBlockRow[]> =>
  db<SigningBlockRow[]>`
    select * from signing_blocks where ends_at is null or ends_at > now() order by id`;

export async function listBlocks(
  db: Db,
  petitionId: string | null,
  beforeId: string | null,
  limit: number,
): Promise<SigningBlockRow[]> {
  return db<SigningBlockRow[]>`
    select * from signing_blocks
    where true ${beforeId ? db`and id < ${beforeId}` : db``}
      ${petitionId ? db`and petition_id = ${petitionId}` : db``}
    order by id desc
    limit ${limit}`;
}

/** Stores a block in the place of one that has ended. Returns undefined if one is in force. */
export async function insertBlock(
  tx: Tx,
  row: Omit<SigningBlockRow, 'created_at'>,
): Promise<SigningBlockRow | undefined> {
  await tx`
    delete from signing_blocks where petition_id is not distinct from ${row.petition_id}::uuid
      and kind = ${row.kind} and value = ${row.value} and ends_at <= now()`;
  return tx.first<SigningBlockRow>`
    insert into signing_blocks ${tx(row)}
    on conflict on constraint signing_blocks_once do nothing
    returning *`;
}

/** Returns the deleted block, if it existed. */
export const deleteBlock = (tx: Tx, id: string): Promise<SigningBlockRow | undefined> =>
  tx.first<SigningBlockRow>`delete from signing_blocks where id = ${id} returning *`;

export const findBlocksOfModerator = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select id, petition_id, kind, value, action, reason, created_at, ends_at
    from signing_blocks where created_by = ${userId} order by id`;

export async function forgetModerator(db: Db, userId: string): Promise<void> {
  await db`update signing_blocks set created_by = null where created_by = ${userId}`;
}

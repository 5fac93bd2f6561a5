import type { Db, Tx } from '../../platform/db.ts';

export interface Follow {
  petitionId: string;
  userId: string;
}

/** Stores that the user follows the petition. Does nothing if they do. */
export async function insertFollow(db: Db, { petitionId, userId }: Follow): Promise<void> {
  await db`
    insert into petition_follows (petition_id, user_id) values (${petitionId}, ${userId})
    on conflict do nothing`;
}

/** Returns whether the user followed the petition. */
export const deleteFollow = (db: Db, { petitionId, userId }: Follow): Promise<boolean> =>
  db.changed`
    delete from petition_follows where petition_id = ${petitionId} and user_id = ${userId}`;

export const isFollowing = (db: Db, { petitionId, userId }: Follow): Promise<boolean> =>
  db.value<boolean>`
    select exists (
      select from petition_follows where petition_id = ${petitionId} and user_id = ${userId}
    ) as follows`;

export const exportFollows = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select petition_id, created_at from petition_follows
    where user_id = ${userId} order by created_at, petition_id`;

export async function eraseFollows(tx: Tx, userId: string): Promise<void> {
  await tx`delete from petition_follows where user_id = ${userId}`;
}

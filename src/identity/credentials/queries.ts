import type { Db, Tx } from '../../platform/db.ts';
import { retentionInterval } from '../../platform/retention.ts';

export interface AddressChangeRow {
  id: string;
  user_id: string;
  old_email: string;
  new_email: string;
  created_at: Date;
  expires_at: Date;
  confirmed_at: Date | null;
  undone_at: Date | null;
}

export async function insertChange(
  tx: Tx,
  row: Pick<AddressChangeRow, 'id' | 'user_id' | 'old_email' | 'new_email'>,
): Promise<Date> {
  return tx.value<Date>`insert into address_changes ${tx(row)} returning expires_at`;
}

export const findChange = (db: Db, id: string): Promise<AddressChangeRow | undefined> =>
  db.first<AddressChangeRow>`select * from address_changes where id = ${id}`;

/**
 * Marks a change as confirmed, the newest one of its user only. Returns undefined if it is used, old, cancelled, not the newest, or
 * the address of the user is another by now, or not proven.
 */
export const confirmChange = (tx: Tx, id: string): Promise<AddressChangeRow | undefined> =>
  tx.first<AddressChangeRow>`
    update address_changes c set confirmed_at = now()
    where id = ${id} and confirmed_at is null and undone_at is null and expires_at > now()
      and not exists (
        select from address_changes newer where newer.user_id = c.user_id and newer.id > c.id)
      and exists (
        select from users u
        where u.id = c.user_id and lower(u.email) = lower(c.old_email) and u.email_verified_at is not null)
    returning *`;

/** Cancels the changes of a user that are not confirmed yet. */
export async function cancelPendingChanges(db: Db, userId: string): Promise<void> {
  await db`
    update address_changes set expires_at = now()
    where user_id = ${userId} and confirmed_at is null and expires_at > now()`;
}

/** Marks a change as undone, within seven days. Returns undefined if it is too old, or was undone before. */
export const undoChange = (tx: Tx, id: string): Promise<AddressChangeRow | undefined> =>
  tx.first<AddressChangeRow>`
    update address_changes set undone_at = now()
    where id = ${id} and undone_at is null and created_at > now() - interval '7 days'
    returning *`;

/** Later changes of the user than this one, which undoing it undoes too. */
export async function undoLaterChanges(tx: Tx, { id, user_id }: AddressChangeRow): Promise<void> {
  await tx`
    update address_changes set undone_at = now()
    where user_id = ${user_id} and id > ${id} and undone_at is null`;
}

/** Deletes changes that can be neither confirmed nor undone. */
export async function deleteOldChanges(db: Db): Promise<void> {
  await db`delete from address_changes where created_at < now() - ${retentionInterval('address_changes')}::interval`;
}

export const exportChanges = (db: Db, userId: string): Promise<readonly object[]> =>
  db`
    select old_email, new_email, created_at, expires_at, confirmed_at, undone_at
    from address_changes where user_id = ${userId} order by id`;

import type { Tx } from '../../platform/db.ts';
import type { PetitionStatus } from './lifecycle.ts';
import type { PetitionRow } from './queries.ts';

/**
 * Changes a petition's status from one of `from` to `to`. Returns whether it had been published before, or
 * undefined if its status is none of `from`.
 */
export async function updateStatus(
  tx: Tx,
  id: string,
  from: readonly PetitionStatus[],
  to: PetitionStatus,
  victoryMessage: string | null,
): Promise<{ wasPublished: boolean } | undefined> {
  return tx.first<{ wasPublished: boolean }>`
    with before as materialized (
      select id, published_at from petitions
      where id = ${id} and status = any(${from}) and deleted_at is null
        and not (status = 'closed' and origins_forgotten)
      for no key update
    )
    update petitions p set
      status = ${to},
      status_since = now(),
      hidden_with_creator = false,
      published_at = case when ${to === 'active'} then coalesce(p.published_at, now())
        else p.published_at end,
      closed_at = case when ${to === 'closed' || to === 'victory'} then now()
        when ${to === 'active'} then null else closed_at end,
      victory_message = coalesce(${victoryMessage}, victory_message)
    from before where p.id = before.id
    returning before.published_at is not null as "wasPublished"`;
}

/** Puts a creator's active petitions under review. Locks them in the order in which signing does. */
export async function hideWithCreator(tx: Tx, creatorId: string): Promise<string[]> {
  return tx.column<string>`
    with active as materialized (
      select id from petitions
      where creator_id = ${creatorId} and status = 'active' and deleted_at is null
      order by id for no key update
    )
    update petitions p
    set status = 'under_review', status_since = now(), hidden_with_creator = true
    from active where p.id = active.id
    returning p.id`;
}

/** Restores petitions that `hideWithCreator` hid, unless their status changed since. */
export async function showWithCreator(tx: Tx, creatorId: string): Promise<string[]> {
  return tx.column<string>`
    with hidden as materialized (
      select id from petitions
      where creator_id = ${creatorId} and hidden_with_creator and deleted_at is null
      order by id for no key update
    )
    update petitions p
    set status = 'active', status_since = now(), hidden_with_creator = false
    from hidden where p.id = hidden.id
    returning p.id`;
}

/**
 * Ends the place of a changed text in the queue of moderators. Returns false if none waits, or if the text is no longer
 * the version that was read.
 */
export async function approveTextChange(
  tx: Tx,
  { id, version }: Pick<PetitionRow, 'id' | 'version'>,
): Promise<boolean> {
  return tx.changed`
    update petitions set change_reviewed_at = now()
    where id = ${id} and version = ${version} and text_changed_at is not null
      and change_reviewed_at is null and deleted_at is null`;
}

/** Keeps a petition under review when the suspension of its creator, which hid it, ends. */
export async function keepUnderReview(tx: Tx, id: string): Promise<void> {
  await tx`update petitions set hidden_with_creator = false where id = ${id}`;
}

/**
 * Takes back the removal of a petition. Returns false once the signers of one that can be signed were forgotten, since they could sign it
 * twice, or if it is not removed.
 */
export async function undelete(tx: Tx, id: string): Promise<boolean> {
  return tx.changed`
    update petitions set deleted_at = null
    where id = ${id} and deleted_at is not null
      and (not origins_forgotten or status in ('closed', 'victory'))`;
}

/** Deletes all drafts of an account. */
export async function hideDrafts(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    update petitions set deleted_at = now()
    where creator_id = ${creatorId} and deleted_at is null and published_at is null`;
}

export async function softDelete(tx: Tx, id: string): Promise<void> {
  await tx`update petitions set deleted_at = now() where id = ${id} and deleted_at is null`;
}

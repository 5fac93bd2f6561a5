import type { Db, Tx } from '../../platform/db.ts';

interface NewLink {
  id: string;
  tokenHash: Buffer;
  now: Date;
  /** Links from before are too old. */
  oldest: Date;
}

/**
 * Stores a link for an instance without accounts, or instead of one that nobody used in time. Returns whether it did: not if
 * an administrator exists.
 */
export async function insertLink(
  db: Db,
  { id, tokenHash, now, oldest }: NewLink,
): Promise<boolean> {
  const rows = await db`
    insert into site_setup (id, token_hash, created_at)
    select ${id}, ${tokenHash}, ${now}
    where not exists (select from users where role = 'admin')
      and (not exists (select from users) or exists (select from site_setup))
    on conflict (is_only) do update
      set id = excluded.id, token_hash = excluded.token_hash, created_at = excluded.created_at
      where site_setup.used_at is null and site_setup.created_at < ${oldest}
    returning id`;
  return rows.length > 0;
}

/** Returns the link if it can be used. */
export async function findLink(db: Db, oldest: Date): Promise<{ id: string } | undefined> {
  return db.first<{ id: string }>`
    select id from site_setup
    where used_at is null and created_at >= ${oldest}
      and not exists (select from users where role = 'admin')`;
}

/** Whether this is the token of a link that can be used. */
export async function isUsable(db: Db, tokenHash: Buffer, oldest: Date): Promise<boolean> {
  return db.exists`
    select from site_setup
    where token_hash = ${tokenHash} and used_at is null and created_at >= ${oldest}
      and not exists (select from users where role = 'admin')`;
}

/** Uses the link up; others wait for the transaction. Returns whether it could be used. */
export async function useLink(tx: Tx, tokenHash: Buffer, times: { now: Date; oldest: Date }) {
  const rows = await tx`
    update site_setup set used_at = ${times.now}
    where token_hash = ${tokenHash} and used_at is null and created_at >= ${times.oldest}
      and not exists (select from users where role = 'admin')
    returning id`;
  return rows.length > 0;
}

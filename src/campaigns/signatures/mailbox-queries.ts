import type { Db, Query, Tx } from '../../platform/db.ts';

export interface SignatureKey {
  petition_id: string;
  id: string;
}

/** Estimates the number of all signatures. */
export const estimateSignatures = (db: Db): Promise<number> =>
  db.value<number>`
    select greatest(reltuples, 0)::integer from pg_class where oid = 'signatures'::regclass`;

/** Returns the next signatures by primary key, with their signers. */
export async function nextSignatures(
  db: Db,
  after: SignatureKey,
  limit: number,
): Promise<(SignatureKey & { user_id: string | null })[]> {
  return db<(SignatureKey & { user_id: string | null })[]>`
    select petition_id, id, user_id from signatures
    where (petition_id, id) > (${after.petition_id}::uuid, ${after.id}::uuid)
    order by petition_id, id
    limit ${limit}`;
}

/** Returns the petitions on which these users have signatures without a mailbox, unless it was forgotten. */
export const petitionsToFill = (db: Db, userIds: readonly string[]): Promise<string[]> =>
  db.column<string>`
    select distinct s.petition_id from signatures s
    join petitions p on p.id = s.petition_id and not p.origins_forgotten
    where s.user_id = any(${userIds}::uuid[]) and s.mailbox is null`;

/** A condition on signatures `s`. */
export const amongKeys = (db: Db, keys: SignatureKey[]) => db`(s.petition_id, s.id) in (
  select * from unnest(${keys.map(({ petition_id }) => petition_id)}::uuid[],
    ${keys.map(({ id }) => id)}::uuid[]))`;

/** A condition on signatures `s`. */
export const ofSigners = (db: Db, petitionIds: string[], userIds: readonly string[]) => db`
  s.petition_id = any(${petitionIds}::uuid[]) and s.user_id = any(${userIds}::uuid[])`;

/**
 * Fills in what signatures of earlier versions lack, for those that meet the condition. The oldest one of a mailbox gets
 * the hash; others stay counted without one. The caller has locked the petitions and filled in the mailboxes of the
 * accounts.
 */
export async function fillSignatures(tx: Tx, condition: Query): Promise<void> {
  await tx`
    with old as (
      select s.petition_id, s.id, hashes.*, u.has_disposable_address,
        u.email_verified_at is not null as is_proven,
        row_number() over (partition by s.petition_id, hashes.mailbox order by s.id) as n
      from signatures s
      join users u on u.id = s.user_id
      -- What was forgotten does not come back.
      join petitions p on p.id = s.petition_id and not p.origins_forgotten
      cross join lateral (select mailbox_on(s.petition_id, u.mailbox) as mailbox,
        mailbox_on(s.petition_id, u.mail_domain) as mail_domain) hashes
      where ${condition} and s.mailbox is null
    )
    update signatures s set mail_domain = old.mail_domain,
      is_disposable = old.has_disposable_address, is_proven = old.is_proven,
      mailbox = case
        when old.n = 1 and not exists (
          select from signatures other
          where other.petition_id = old.petition_id and other.mailbox = old.mailbox
        ) then old.mailbox end
    from old
    where s.petition_id = old.petition_id and s.id = old.id`;
}

import type { Db, Tx } from '../../platform/db.ts';

/** Visits of one reader to a petition by a ref. */
export interface ShareVisits {
  ref: string;
  /** Slug or id, as requested. */
  petition: string;
  readerId: string | null;
  count: number;
}

/**
 * Adds visits to the shares of their refs. Ignores refs of other petitions, and visits by the sharer or the
 * creator. Locks rows in the same order as `addSignatures`.
 */
export async function addVisits(db: Db, visits: ShareVisits[]): Promise<void> {
  await db`
    with visit as (
      select ref, petition, "readerId" as reader_id, count
      from jsonb_to_recordset(${db.json(visits)})
        as v (ref text, petition text, "readerId" uuid, count integer)
    ),
    share as materialized (
      select id, ref, petition_id, user_id from shares
      where ref = any(array(select ref from visit))
      order by id
      for no key update
    ),
    added as (
      select s.id, sum(v.count)::integer as count
      from visit v
      join share s on s.ref = v.ref
      join petitions p on p.id = s.petition_id
        and (p.slug = v.petition or p.id::text = lower(v.petition))
      where v.reader_id is null
        or (v.reader_id is distinct from s.user_id and v.reader_id is distinct from p.creator_id)
      group by s.id
    )
    update shares set visits = shares.visits + added.count from added where shares.id = added.id`;
}

/** Adds to the numbers of signatures of shares, or subtracts from them. */
export async function addSignatures(
  tx: Tx,
  sums: { share_id: string; count: number }[],
): Promise<void> {
  await tx`
    with sum as (
      select share_id, count
      from jsonb_to_recordset(${tx.json(sums)}) as s (share_id uuid, count integer)
    ),
    share as materialized (
      select id from shares where id = any(array(select share_id from sum))
      order by id
      for no key update
    )
    update shares set signatures = shares.signatures + sum.count
    from share join sum on sum.share_id = share.id
    where shares.id = share.id`;
}

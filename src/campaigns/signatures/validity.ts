import type { Tx } from '../../platform/db.ts';

export interface ValidityChange {
  petitionId: string;
  ids: string[];
  /** Number of the rule by which they are invalid now; null if they are valid. */
  from: number | null;
  /** Number of the rule that invalidates them; null to make them valid. */
  to: number | null;
}

/** The number of signatures with equal values in all dimensions of the sums. */
export type SignatureCell = {
  /** Start of the hour of the signatures, as a date-time. */
  hour: string;
  place: string | null;
  source: string | null;
  share_id: string | null;
  count: number;
};

export interface ValidityChangeResult {
  /** How many of the ids were in the state `from`. */
  moved: number;
  /** The petition's count afterwards. */
  signatureCount: number;
  /** The moved signatures, grouped. */
  cells: SignatureCell[];
  /** Their ids, with the version of the text that each signed. */
  signatures: { id: string; version: number }[];
}

/**
 * Makes signatures of one petition invalid or valid, and updates its counts and trend, in one statement
 * that locks the petition first, as `insertGroup` does. Signers wait until the transaction ends. The
 * weights of the moved signatures are relative to the newest of them (`trend_after`, migrations/0012).
 */
export async function changeValidity(
  tx: Tx,
  { petitionId, ids, from, to }: ValidityChange,
): Promise<ValidityChangeResult> {
  const counted = Number(to === null) - Number(from === null);
  return tx.one<ValidityChangeResult>`
    with petition as materialized (
      select id, signature_count, invalid_signature_count, imported_signature_count, trend
      from petitions where id = ${petitionId} for no key update
    ),
    moved as (
      update signatures s set invalidated_by = ${to},
        state = ${to === null ? 'counted' : 'invalid'}
      from petition, unnest(${ids}::uuid[]) as chosen(id)
      where s.petition_id = petition.id and s.id = chosen.id
        and ${from === null ? tx`s.state = 'counted'` : tx`s.invalidated_by = ${from}`}
      returning s.id, s.version, s.created_at, s.place, s.source, s.share_id
    ),
    cell as (
      select date_trunc('hour', created_at, 'UTC') as hour, place, source, share_id,
        count(*)::integer as count
      from moved group by 1, 2, 3, 4
    ),
    newest as (select max(created_at) as at from moved),
    total as (
      select count(*)::integer as n, newest.at,
        sum(2 ^ (extract(epoch from created_at - newest.at)::double precision / 86400)) as weight
      from moved, newest
      group by newest.at
    ),
    tallied as (
      update petitions p set
        signature_count = l.signature_count + n * ${counted}::integer,
        invalid_signature_count = l.invalid_signature_count - n * ${counted}::integer,
        trend = case
          when ${counted}::integer = 0 then l.trend
          when l.signature_count + n * ${counted}::integer = l.imported_signature_count then 0
          else trend_after(l.trend, weight * ${counted}::integer, total.at)
        end
      from total, petition l where p.id = l.id
      returning p.signature_count
    )
    select coalesce((select n from total), 0) as moved,
      coalesce((select signature_count from tallied), signature_count) as "signatureCount",
      (select coalesce(jsonb_agg(to_jsonb(cell)), '[]') from cell) as cells,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'version', version)), '[]')
        from moved) as signatures
    from petition`;
}

/**
 * Voids milestones that were reached by invalid signatures: those above the count that the invalid
 * signatures would have reached, and those whose signature is invalid. Their thresholds can be reached
 * again. The caller has locked the petition.
 */
export async function voidMilestones(tx: Tx, petitionId: string): Promise<void> {
  await tx`
    with void as (
      delete from milestones m using petitions p
      where m.petition_id = ${petitionId} and p.id = m.petition_id
        and (m.threshold > p.signature_count
          and m.threshold <= p.signature_count + p.invalid_signature_count or exists (
          select from signatures s
          where s.petition_id = m.petition_id and s.id = m.signature_id
            and s.state = 'invalid'))
      returning m.petition_id, m.threshold, m.signature_id, m.reached_at
    )
    insert into voided_milestones (petition_id, threshold, signature_id, reached_at)
    select petition_id, threshold, signature_id, reached_at from void
    on conflict do nothing`;
}

/**
 * Restores the earliest voided milestone of each threshold that was not reached again. Call `voidMilestones`
 * afterwards, which voids those that are still invalid. Locks the petition.
 */
export async function restoreMilestones(tx: Tx, petitionId: string): Promise<void> {
  await tx`select from petitions where id = ${petitionId} for no key update`;
  await tx`
    with recalled as (
      insert into milestones (petition_id, threshold, signature_id, reached_at)
      select distinct on (threshold) petition_id, threshold, signature_id, reached_at
      from voided_milestones where petition_id = ${petitionId}
      order by threshold, reached_at
      on conflict (petition_id, threshold) do nothing
      returning petition_id, threshold, signature_id
    )
    delete from voided_milestones v using recalled r
    where v.petition_id = r.petition_id and v.threshold = r.threshold
      and v.signature_id = r.signature_id`;
}

/** Lets signers count again who withdrew signatures that this rule had invalidated. */
export async function forgetWithdrawnSignatures(tx: Tx, rule: number): Promise<void> {
  await tx`delete from withdrawn_signatures where invalidated_by = ${rule}`;
  await tx`delete from withdrawn_invalid_signatures where invalidated_by = ${rule}`;
}

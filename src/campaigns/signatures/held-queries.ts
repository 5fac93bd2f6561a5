import type { Db, Tx } from '../../platform/db.ts';
import { insertEvents } from '../../platform/events.ts';
import type { Language } from '../../platform/pages/language.ts';
import { milestoneCounts, milestoneStep } from './milestones.ts';
import type { HeldSignature } from './schema.ts';

/** Returns held signatures of a petition, newest first. */
export async function listHeld(
  db: Db,
  petitionId: string,
  beforeId: string | null,
  limit: number,
): Promise<HeldSignature[]> {
  return db<HeldSignature[]>`
    select s.id, s.created_at,
      lpad(to_hex((s.origin >> 24) & x'ffffffffff'::bigint), 10, '0') as network, s.country,
      split_part(lower(u.email), '@', 2) as mail_domain, s.display_location, s.comment
    from signatures s left join users u on u.id = s.user_id
    where s.petition_id = ${petitionId} and s.state = 'held'
      ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

export interface Decided {
  petition_id: string;
  user_id: string | null;
  signature_count: number;
}

/** The petition of a signature, locked as `insertGroup` does. */
const lockedPetition = (tx: Tx, signatureId: string) => tx`
  select id, signature_count, invalid_signature_count, signature_goal, trend from petitions
  where id = (select petition_id from signatures where id = ${signatureId}) and deleted_at is null
  for no key update`;

/**
 * Counts a held signature, in one statement. Returns undefined if it is not held. A signer who withdraws it afterwards
 * and signs again is judged anew. The event names the time at which the signature was given.
 */
export async function releaseSignature(tx: Tx, id: string): Promise<Decided | undefined> {
  return tx.first<Decided>`
    with petition as materialized (${lockedPetition(tx, id)}),
    released as (
      update signatures s set state = 'counted' from petition
      where s.petition_id = petition.id and s.id = ${id} and s.state = 'held'
      returning s.*
    ),
    tallied as (
      update petitions p set signature_count = l.signature_count + 1,
        trend = trend_after(l.trend, 1, released.created_at)
      from released join petition l on l.id = released.petition_id
      where p.id = l.id
      returning p.id, p.signature_count, p.signature_goal
    ),
    milestone as (
      insert into milestones (petition_id, threshold, signature_id)
      select t.id, t.signature_count, r.id from tallied t, released r
      where t.signature_count = any(${milestoneCounts}::integer[])
        or t.signature_count % ${milestoneStep} = 0 or t.signature_count = t.signature_goal
      on conflict (petition_id, threshold) do nothing
      returning signature_id
    ),
    forgotten as (
      delete from withdrawn_signatures w using released r
      where w.petition_id = r.petition_id and w.mailbox = r.mailbox and w.invalidated_by is null
    ),
    event as (
      ${insertEvents(
        tx,
        tx`select types.type, r.petition_id, 'user', case when not r.is_anonymous then r.user_id end,
          jsonb_strip_nulls(jsonb_build_object('signature_id', r.id, 'version', r.version,
            'signature_count', t.signature_count, 'place', r.place, 'source', r.source,
            'share_id', r.share_id, 'signed_at', r.created_at))
        from released r join tallied t on t.id = r.petition_id
        cross join lateral (
          select 'signature.created' as type
          union all
          select 'signature.milestone' where exists (select from milestone)
        ) types
        order by types.type`,
      )}
    )
    select r.petition_id, r.user_id, t.signature_count
    from released r join tallied t on t.id = r.petition_id`;
}

/** Makes a held signature invalid, in one statement. Returns undefined if it is not held. */
export async function rejectSignature(tx: Tx, id: string): Promise<Decided | undefined> {
  return tx.first<Decided>`
    with petition as materialized (${lockedPetition(tx, id)}),
    rejected as (
      update signatures s set state = 'invalid' from petition
      where s.petition_id = petition.id and s.id = ${id} and s.state = 'held'
      returning s.petition_id, s.user_id
    ),
    tallied as (
      update petitions p set invalid_signature_count = l.invalid_signature_count + 1
      from rejected join petition l on l.id = rejected.petition_id
      where p.id = l.id
      returning p.signature_count
    )
    select petition_id, user_id, signature_count from rejected, tallied`;
}

export interface RejectedSigner {
  email: string;
  language: Language;
  title: string;
  /** Of the petition. */
  title_language: string | null;
}

/** Returns the signer of a rejected signature if their address is verified and they are not suspended. */
export async function findRejectedSigner(db: Db, id: string): Promise<RejectedSigner | undefined> {
  return db.first<RejectedSigner>`
    select u.email, u.language, p.title, p.language as title_language
    from signatures s
    join users u on u.id = s.user_id
    join petitions p on p.id = s.petition_id
    where s.id = ${id} and s.state = 'invalid' and u.email_verified_at is not null
      and u.suspended_at is null`;
}

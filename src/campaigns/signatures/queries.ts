import type { Db, Pool } from '../../platform/db.ts';
import type { Actor } from '../../platform/events.ts';
import { everyFurther, milestoneCounts } from './milestones.ts';
import type { Origin } from './origins.ts';

export interface SignatureRequest extends Origin {
  /** Of the signature to be, a UUIDv7. */
  id: string;
  petitionId: string;
  userId: string;
  /** The API key by which the user signs, if it is by one. */
  keyId?: string | undefined;
  isAnonymous: boolean;
  comment: string | null;
  displayLocation: string | null;
  /** Where displayLocation, or else the address, is: a name of src/platform/places.ts. */
  place: string | null;
  /** Whence the signer came, where that is known. */
  source: string | null;
  /** The share whose link led here. */
  shareId: string | null;
  /** Showed the code of a private petition. */
  hasCode: boolean;
}

export type Verdict =
  | 'signed'
  | 'unknown_petition'
  | 'unknown_user'
  | 'suspended'
  | 'private'
  | 'unverified'
  | 'not_active'
  | 'duplicate';

export interface SignatureOutcome {
  verdict: Verdict;
  /** With this signature, if it counts; null where it was not signed. */
  signature_count: number | null;
  milestone_reached: boolean;
}

/**
 * Stores a group of signatures, for any petitions and signers, in one statement: one round trip and
 * one commit, with the rows of the petitions locked for no longer than the statement runs. Gives each
 * request its own outcome, in the order of the requests.
 *
 * Petitions are locked in the order of their ids, so groups of several processes cannot deadlock, and
 * what is judged is their newest state, also where the lock had to be waited for. Signers of one
 * petition are numbered in the order of the requests, from the count that the lock has shown. Who withdrew
 * an invalid signature gives an invalid one again, which is stored but does not count and is told nobody.
 *
 * Measured on PostgreSQL 18, 2 cores, groups of 64 on one petition: see docs/benchmarks.md.
 */
export async function insertGroup(
  db: Pool,
  requests: SignatureRequest[],
  requireVerified: boolean,
): Promise<SignatureOutcome[]> {
  const petitionIds = [...new Set(requests.map(({ petitionId }) => petitionId))];
  const numbered = requests.map((request, n) => ({ n, ...request }));
  return db<SignatureOutcome[]>`
    with request as (
      select n, id, "petitionId" as petition_id, "userId" as user_id, "keyId" as key_id,
        "isAnonymous" as is_anonymous, comment, "displayLocation" as display_location,
        "hasCode" as has_code, origin, country, device, place, source, "shareId" as share_id
      from jsonb_to_recordset(${db.json(numbered)}) as r (n integer, id uuid,
        "petitionId" uuid, "userId" uuid, "keyId" uuid, "isAnonymous" boolean, comment text,
        "displayLocation" text, "hasCode" boolean, origin bigint, country text,
        device "char", place text, source text, "shareId" uuid)
    ),
    petition as materialized (
      select id, status, visibility, creator_id, version, signature_count, signature_goal,
        has_withdrawn_invalid
      from petitions
      where id = any(${petitionIds}::uuid[]) and deleted_at is null
      order by id
      for no key update
    ),
    judged as materialized (
      select r.*, p.version, p.signature_count as count_before, p.signature_goal,
        case
          when u.id is null then 'unknown_user'
          when u.suspended_at is not null then 'suspended'
          when p.id is null then 'unknown_petition'
          when p.status in ('draft', 'under_review') and u.role = 'user'
            and u.id is distinct from p.creator_id then 'unknown_petition'
          when p.visibility = 'private' and not r.has_code
            and u.id is distinct from p.creator_id then 'private'
          when ${requireVerified} and u.email_verified_at is null then 'unverified'
          when p.status <> 'active' then 'not_active'
        end as refusal,
        case when p.has_withdrawn_invalid
          then invalidation_of_withdrawn(p.id, r.user_id) end as invalidated_by
      from request r
      left join petition p on p.id = r.petition_id
      left join users u on u.id = r.user_id
    ),
    inserted as (
      insert into signatures
        (id, petition_id, user_id, version, is_anonymous, comment, display_location, origin, country,
          device, place, source, share_id, invalidated_by)
      select id, petition_id, user_id, version, is_anonymous, comment, display_location, origin,
        country, device, place, source, share_id, invalidated_by
      from judged
      where refusal is null
      order by n
      on conflict (user_id, petition_id) do nothing
      returning id
    ),
    stored as materialized (
      select j.id, j.petition_id, j.signature_goal, j.place, j.source, j.share_id,
        j.invalidated_by is null as counts,
        case when j.key_id is null then 'user' else 'api_key' end as actor_type,
        case when not j.is_anonymous then coalesce(j.key_id, j.user_id) end as known_actor_id,
        (j.count_before + count(*) filter (where j.invalidated_by is null)
          over (partition by j.petition_id order by j.n))::integer as signature_count
      from judged j join inserted using (id)
    ),
    counted as (select * from stored where counts),
    tallied as (
      update petitions p set signature_count = p.signature_count + added.n,
        invalid_signature_count = p.invalid_signature_count + added.invalid,
        trend = case when added.n = 0 then p.trend else trend_after(p.trend, added.n, now()) end
      from (
        select petition_id, count(*) filter (where counts)::integer as n,
          count(*) filter (where not counts)::integer as invalid
        from stored group by petition_id) added
      where p.id = added.petition_id
    ),
    milestone as (
      insert into milestones (petition_id, threshold, signature_id)
      select petition_id, signature_count, id from counted
      where signature_count = any(${milestoneCounts}::integer[])
        or signature_count % ${everyFurther} = 0
        or signature_count = signature_goal
      on conflict (petition_id, threshold) do nothing
      returning signature_id
    ),
    told as (
      insert into events (transaction, type, petition_id, actor_type, actor_id, data)
      -- Its default, asked once for all of them, now that the petitions are locked.
      select (select told_in()), type, petition_id, actor_type, known_actor_id,
        jsonb_strip_nulls(jsonb_build_object('signature_id', id, 'signature_count', signature_count,
          'place', place, 'source', source, 'share_id', share_id))
      from counted
      cross join lateral (
        select 'signature.created' as type
        union all
        select 'signature.milestone' where exists (select from milestone where signature_id = id)
      ) types
      order by petition_id, signature_count, type
    )
    select coalesce(j.refusal, case when s.id is null then 'duplicate' else 'signed' end) as verdict,
      s.signature_count,
      exists (select from milestone m where m.signature_id = j.id) as milestone_reached
    from judged j
    left join stored s on s.id = j.id
    order by j.n`;
}

/** One signature of a petition: that of a user, or that of an id. */
export type SignatureSelector = { userId: string } | { id: string };

/**
 * Removes a signature, in one statement that locks the petition first, as `insertGroup` does. Gives
 * the new count, or undefined where there was none to remove. The event of a signer who withdraws an
 * anonymous signature does not tell who it was. An invalid one did not count, so nobody is told; that it
 * was invalid is remembered, unless an administrator removes it.
 *
 * The new counts follow from the row as it was locked: PostgreSQL holds what an update would make of an
 * older version against the table's checks, before it sees that there is a newer one.
 */
export async function deleteSignature(
  db: Db,
  petitionId: string,
  which: SignatureSelector,
  actor: Actor,
): Promise<number | undefined> {
  const [row] = await db`
    with petition as materialized (
      select id, signature_count, invalid_signature_count, has_withdrawn_invalid, trend
      from petitions where id = ${petitionId} and deleted_at is null for no key update
    ),
    gone as (
      delete from signatures s using petition
      where s.petition_id = petition.id
        and ${'id' in which ? db`s.id = ${which.id}` : db`s.user_id = ${which.userId}`}
      returning s.id, s.petition_id, s.user_id, s.is_anonymous, s.created_at, s.place, s.source,
        s.share_id, s.invalidated_by, s.invalidated_by is null as counted
    ),
    marked as (
      insert into withdrawn_invalid_signatures (user_id, petition_id, invalidated_by)
      select user_id, petition_id, invalidated_by from gone
      where not counted and ${'userId' in which}
      on conflict (petition_id, user_id) do update set invalidated_by = excluded.invalidated_by
    ),
    tallied as (
      update petitions p set
        signature_count = l.signature_count - counted::integer,
        invalid_signature_count = l.invalid_signature_count - (not counted)::integer,
        has_withdrawn_invalid = l.has_withdrawn_invalid or not counted,
        trend = case when not counted then l.trend when l.signature_count = 1 then 0
          else trend_after(l.trend, -1, gone.created_at) end
      from gone join petition l on l.id = gone.petition_id
      where p.id = l.id
      returning p.signature_count
    ),
    told as (
      insert into events (type, petition_id, actor_type, actor_id, data)
      select 'signature.removed', petition_id, ${actor.type},
        case when ${'id' in which} or not is_anonymous then ${actor.id}::uuid end,
        jsonb_strip_nulls(jsonb_build_object('signature_id', id, 'signature_count', signature_count,
          'place', place, 'source', source, 'share_id', share_id, 'signed_at', created_at))
      from gone, tallied
      where counted
    )
    select signature_count from tallied`;
  return row?.signature_count;
}

export async function findSignature(
  db: Db,
  id: string,
): Promise<{ petition_id: string; user_id: string | null } | undefined> {
  const [row] = await db<{ petition_id: string; user_id: string | null }[]>`
    select petition_id, user_id from signatures where id = ${id}`;
  return row;
}

export async function hasSigned(db: Db, petitionId: string, userId: string): Promise<boolean> {
  const rows = await db`
    select from signatures where user_id = ${userId} and petition_id = ${petitionId}`;
  return rows.length > 0;
}

/** Valid signatures that the petition has now: its count without what an import brought. */
export async function countOf(db: Db, petitionId: string): Promise<number> {
  const [row] = await db`
    select signature_count - imported_signature_count as count
    from petitions where id = ${petitionId}`;
  return row?.count ?? 0;
}

export async function signaturesOf(
  db: Db,
  userId: string,
): Promise<(Record<string, unknown> & { device: string | null })[]> {
  return db`
    select s.id, s.petition_id, p.title as petition_title, s.version, s.is_anonymous, s.comment,
      s.display_location, s.created_at,
      case when s.invalidated_by is null then 'valid' else 'invalid' end as state,
      lpad(to_hex(s.origin), 16, '0') as address_hash, s.country, s.device, s.place, s.source,
      s.share_id
    from signatures s join petitions p on p.id = s.petition_id
    where s.user_id = ${userId}
    order by s.id`;
}

/** Keeps the signatures, without the signer and where they signed; of that the country stays. */
export async function forgetSigner(db: Db, userId: string): Promise<void> {
  await db`
    update signatures set user_id = null, origin = null, device = null
    where user_id = ${userId}`;
}

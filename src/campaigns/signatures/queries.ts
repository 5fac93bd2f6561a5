import type { Db, Pool } from '../../platform/db.ts';
import { insertEvents, type Actor } from '../../platform/events.ts';
import { milestoneStep, milestoneCounts } from './milestones.ts';
import type { Origin } from './origins.ts';

export interface SignatureRequest extends Origin {
  /** Id of the new signature, a UUIDv7. */
  id: string;
  petitionId: string;
  userId: string;
  /** Id of the API key, if the request used one. */
  keyId?: string | undefined;
  isAnonymous: boolean;
  comment: string | null;
  displayLocation: string | null;
  /** Place of displayLocation, else of the IP address: a name of src/platform/places.ts. */
  place: string | null;
  /** Name of the traffic source, if known. */
  source: string | null;
  /** Id of the share whose link the signer followed. */
  shareId: string | null;
  /** Whether the request had the access code of the private petition. */
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
  /** The count after this signature; null unless the verdict is `signed`. */
  signature_count: number | null;
  milestone_reached: boolean;
}

/**
 * Stores a group of signatures, for any petitions and signers, in one statement: one round trip and one
 * commit. The rows of the petitions are locked only while the statement runs. Returns one outcome per
 * request, in the order of the requests.
 *
 * Locks petitions in the order of their ids, so that groups of several processes cannot deadlock, and checks
 * their state after the lock was granted. Counts up in the order of the requests from the locked count.
 * After the withdrawal of an invalid signature, a new one of the same signer is stored as invalid too: it
 * does not count and emits no event.
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
    checked as materialized (
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
      from checked
      where refusal is null
      order by n
      on conflict (user_id, petition_id) do nothing
      returning id
    ),
    stored as materialized (
      select c.id, c.petition_id, c.signature_goal, c.place, c.source, c.share_id,
        c.invalidated_by is null as counts,
        case when c.key_id is null then 'user' else 'api_key' end as actor_type,
        case when not c.is_anonymous then coalesce(c.key_id, c.user_id) end as known_actor_id,
        (c.count_before + count(*) filter (where c.invalidated_by is null)
          over (partition by c.petition_id order by c.n))::integer as signature_count
      from checked c join inserted using (id)
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
        or signature_count % ${milestoneStep} = 0
        or signature_count = signature_goal
      on conflict (petition_id, threshold) do nothing
      returning signature_id
    ),
    event as (
      insert into events (transaction, type, petition_id, actor_type, actor_id, data)
      -- The column's default, evaluated once per statement, after the petitions were locked.
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
    select coalesce(c.refusal, case when s.id is null then 'duplicate' else 'signed' end) as verdict,
      s.signature_count,
      exists (select from milestone m where m.signature_id = c.id) as milestone_reached
    from checked c
    left join stored s on s.id = c.id
    order by c.n`;
}

/** Selects one signature of a petition, by its signer or its id. */
export type SignatureSelector = { userId: string } | { id: string };

/**
 * Removes a signature, in one statement that locks the petition first, as `insertGroup` does. Returns the
 * new count, or undefined if there is no such signature. The event of a withdrawn anonymous signature omits
 * the signer. An invalid signature emits no event; if its signer withdraws it, its invalidity is stored.
 *
 * Computes the new counts from the locked row: PostgreSQL evaluates the table's checks on an older row
 * version before it notices that there is a newer one.
 */
export async function deleteSignature(
  db: Db,
  petitionId: string,
  selector: SignatureSelector,
  actor: Actor,
): Promise<number | undefined> {
  return db.value<number | undefined>`
    with petition as materialized (
      select id, signature_count, invalid_signature_count, has_withdrawn_invalid, trend
      from petitions where id = ${petitionId} and deleted_at is null for no key update
    ),
    deleted as (
      delete from signatures s using petition
      where s.petition_id = petition.id
        and ${'id' in selector ? db`s.id = ${selector.id}` : db`s.user_id = ${selector.userId}`}
      returning s.id, s.petition_id, s.user_id, s.is_anonymous, s.created_at, s.place, s.source,
        s.share_id, s.invalidated_by, s.invalidated_by is null as counted
    ),
    marked as (
      insert into withdrawn_invalid_signatures (user_id, petition_id, invalidated_by)
      select user_id, petition_id, invalidated_by from deleted
      where not counted and ${'userId' in selector}
      on conflict (petition_id, user_id) do update set invalidated_by = excluded.invalidated_by
    ),
    tallied as (
      update petitions p set
        signature_count = l.signature_count - counted::integer,
        invalid_signature_count = l.invalid_signature_count - (not counted)::integer,
        has_withdrawn_invalid = l.has_withdrawn_invalid or not counted,
        trend = case when not counted then l.trend when l.signature_count = 1 then 0
          else trend_after(l.trend, -1, deleted.created_at) end
      from deleted join petition l on l.id = deleted.petition_id
      where p.id = l.id
      returning p.signature_count
    ),
    event as (
      ${insertEvents(
        db,
        db`select 'signature.removed', petition_id, ${actor.type},
          case when ${'id' in selector} or not is_anonymous then ${actor.id}::uuid end,
          jsonb_strip_nulls(jsonb_build_object('signature_id', id, 'signature_count',
            signature_count, 'place', place, 'source', source, 'share_id', share_id,
            'signed_at', created_at))
        from deleted, tallied
        where counted`,
      )}
    )
    select signature_count from tallied`;
}

export async function findSignature(
  db: Db,
  id: string,
): Promise<{ petition_id: string; user_id: string | null } | undefined> {
  return db.first<{ petition_id: string; user_id: string | null }>`
    select petition_id, user_id from signatures where id = ${id}`;
}

export async function hasSigned(db: Db, petitionId: string, userId: string): Promise<boolean> {
  return db.exists`
    select from signatures where user_id = ${userId} and petition_id = ${petitionId}`;
}

/** Returns the number of valid signatures, without the imported count. */
export async function readValidSignatureCount(db: Db, petitionId: string): Promise<number> {
  const row = await db.first`
    select signature_count - imported_signature_count as count
    from petitions where id = ${petitionId}`;
  return row?.count ?? 0;
}

export async function findSignaturesOfUser(
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

/** Removes the signer, the origin and the device from a user's signatures. The country stays. */
export async function forgetSigner(db: Db, userId: string): Promise<void> {
  await db`
    update signatures set user_id = null, origin = null, device = null
    where user_id = ${userId}`;
}

import type { Db, Tx } from '../../platform/db.ts';
import { insertEvents } from '../../platform/events.ts';
import { milestoneStep, milestoneCounts } from './milestones.ts';
import type { BlockAction, DomainBlock } from '../signing-blocks/signing-blocks.ts';
import type { Origin } from './origins.ts';
import { forgottenEvents } from './queries.ts';
import type { SignatureState } from './schema.ts';

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
  /** Shown instead of the account's name. */
  signerName: string | null;
  /** Whether the signer asked for news by mail. */
  updates: boolean;
  consentVersion: number | null;
  /** Of the page on privacy. */
  privacyVersion: number | null;
  /** Place of displayLocation, else of the IP address: a name of src/platform/places.ts. */
  place: string | null;
  /** Name of the traffic source, if known. */
  source: string | null;
  /** Id of the share whose link the signer followed. */
  shareId: string | null;
  /** Whether the request had the access code of the private petition. */
  hasCode: boolean;
  /** What blocks of the signer's network or country do to it. */
  block: BlockAction | null;
}

export type Verdict =
  | 'signed'
  | 'unknown_petition'
  | 'unknown_user'
  | 'suspended'
  | 'private'
  | 'unverified'
  | 'not_active'
  | 'duplicate'
  /** The account was created by an earlier version, and its mailbox is not filled in. */
  | 'no_mailbox'
  /** Refused by a block of the signer's network, country or mail domain. */
  | 'blocked'
  /** The mailbox has a signature; if that one is not proven, this one, which is, takes its place. */
  | 'mailbox_has_signed';

export interface SignatureOutcome {
  verdict: Verdict;
  /** Null unless the verdict is `signed`, as the two below. */
  state: SignatureState | null;
  /** The count after this signature. */
  signature_count: number | null;
  milestone_reached: boolean;
}

/** A query that returns the requests as rows, numbered from 0. */
const requestRows = (db: Db, requests: SignatureRequest[]) => db`
  select n, id, "petitionId" as petition_id, "userId" as user_id, "keyId" as key_id,
    "isAnonymous" as is_anonymous, comment, "displayLocation" as display_location,
    "signerName" as signer_name, updates, "consentVersion" as consent_version, "privacyVersion" as privacy_version, "hasCode" as has_code, origin, country, device, place, source, "shareId" as share_id,
    block
  from jsonb_to_recordset(${db.json(requests.map((request, n) => ({ n, ...request })))}) as r (n integer, id uuid,
    "petitionId" uuid, "userId" uuid, "keyId" uuid, "isAnonymous" boolean, comment text,
    "displayLocation" text, "signerName" text, updates boolean, "consentVersion" smallint, "privacyVersion" integer, "hasCode" boolean, origin bigint, country text,
    device "char", place text, source text, "shareId" uuid,
    block text)`;

interface SigningRules {
  requireVerified: boolean;
  /** Blocks of mail domains that hold on petitions of the group. */
  domainBlocks: DomainBlock[];
}

/** A condition on request `r` of signer `u`: whether a block has this action on it. */
const isBlocked = (db: Db, blocks: DomainBlock[], action: BlockAction) => {
  const ofDomain = blocks.filter((block) => block.action === action);
  const byOrigin = db`r.block = ${action}`;
  if (ofDomain.length === 0) return byOrigin;
  return db`(${byOrigin} or exists (
    select from jsonb_to_recordset(${db.json(ofDomain)}) as b (petition_id uuid, domain text)
    where decode(b.domain, 'hex') = u.mail_domain
      and (b.petition_id is null or b.petition_id = r.petition_id)))`;
};

/** A condition on petition `p` and signer `u`; read only for petitions that not everybody can sign. */
const isNoOrganizer = (db: Db) => db`not exists (
  select from petition_organizers o where o.petition_id = p.id and o.user_id = u.id)`;

/**
 * Stores a group of signatures, for any petitions and signers, in one statement: one round trip and one
 * commit. The rows of the petitions are locked only while the statement runs. Returns one outcome per
 * request, in the order of the requests.
 *
 * Locks petitions in the order of their ids, so that groups of several processes cannot deadlock, and checks
 * their state after the lock was granted. Counts up in the order of the requests from the locked count.
 * A mailbox has one signature on a petition, whatever its state. After the withdrawal of a held or invalid
 * one, a new one of the same mailbox gets that state again: it does not count and emits no event. Neither does one that a
 * block holds.
 *
 * Measured on PostgreSQL 18, 2 cores, groups of 64 on one petition: see docs/benchmarks.md.
 */
export async function insertGroup(
  db: Db,
  requests: SignatureRequest[],
  { requireVerified, domainBlocks }: SigningRules,
): Promise<SignatureOutcome[]> {
  const petitionIds = [...new Set(requests.map(({ petitionId }) => petitionId))];
  return db<SignatureOutcome[]>`
    with request as (${requestRows(db, requests)}),
    petition as materialized (
      select id, status, visibility, creator_id, version, signature_count, signature_goal,
        closes_at, has_withdrawn_invalid
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
            and u.id is distinct from p.creator_id and ${isNoOrganizer(db)} then 'unknown_petition'
          when p.visibility = 'private' and not r.has_code
            and u.id is distinct from p.creator_id and ${isNoOrganizer(db)} then 'private'
          when u.email_verified_at is null and (${requireVerified} or not u.has_canonical_address)
            then 'unverified'
          -- The clock, and not now(), which is from before the lock was granted.
          when p.status <> 'active' or p.closes_at <= clock_timestamp() then 'not_active'
          when u.mailbox is null then 'no_mailbox'
          when ${isBlocked(db, domainBlocks, 'refuse')} then 'blocked'
        end as refusal,
        ${isBlocked(db, domainBlocks, 'hold')} as is_held,
        u.email_verified_at is not null as is_proven,
        mailbox_on(r.petition_id, u.mailbox) as mailbox,
        mailbox_on(r.petition_id, u.mail_domain) as mail_domain,
        u.has_disposable_address as is_disposable,
        p.has_withdrawn_invalid
      from request r
      left join petition p on p.id = r.petition_id
      left join users u on u.id = r.user_id
    ),
    inserted as (
      insert into signatures
        (id, petition_id, user_id, version, is_anonymous, comment, display_location, signer_name,
          updates, consent_version, privacy_version, origin, country, device, place, source, share_id, is_proven, mailbox, mail_domain, is_disposable, state,
          invalidated_by)
      select c.id, petition_id, user_id, version, is_anonymous, comment, display_location,
        signer_name, updates, consent_version, privacy_version, origin, country, device, place, source, share_id, is_proven, c.mailbox, mail_domain, is_disposable,
        coalesce(w.state, case when c.is_held then 'held' else 'counted' end), w.invalidated_by
      from checked c
      left join lateral (
        -- "offset 0" keeps the planner from calling the function before it checks the condition.
        select w.* from (select where c.has_withdrawn_invalid offset 0) needed,
          withdrawn_signature(c.petition_id, c.mailbox, c.user_id) w
      ) w on true
      where refusal is null
      order by n
      on conflict do nothing
      returning id, state
    ),
    stored as materialized (
      select c.id, c.petition_id, c.version, c.signature_goal, c.place, c.source, c.share_id,
        inserted.state,
        case when c.key_id is null then 'user' else 'api_key' end as actor_type,
        case when not c.is_anonymous then coalesce(c.key_id, c.user_id) end as known_actor_id,
        (c.count_before + count(*) filter (where inserted.state = 'counted')
          over (partition by c.petition_id order by c.n))::integer as signature_count
      from checked c join inserted using (id)
    ),
    counted as (select * from stored where state = 'counted'),
    tallied as (
      update petitions p set signature_count = p.signature_count + added.n,
        invalid_signature_count = p.invalid_signature_count + added.invalid,
        trend = case when added.n = 0 then p.trend else trend_after(p.trend, added.n, now()) end
      from (
        select petition_id, count(*) filter (where state = 'counted')::integer as n,
          count(*) filter (where state = 'invalid')::integer as invalid
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
      select (select event_transaction()), type, petition_id, actor_type, known_actor_id,
        jsonb_strip_nulls(jsonb_build_object('signature_id', id, 'version', version,
          'signature_count', signature_count, 'place', place, 'source', source,
          'share_id', share_id))
      from counted
      cross join lateral (
        select 'signature.created' as type
        union all
        select 'signature.milestone' where exists (select from milestone where signature_id = id)
      ) types
      order by petition_id, signature_count, type
    )
    select
      case
        when c.refusal is not null then c.refusal
        when s.id is not null then 'signed'
        when not c.is_proven or exists (
          select from signatures own
          where own.user_id = c.user_id and own.petition_id = c.petition_id
        ) or exists (
          select from signatures other
          where other.petition_id = c.petition_id and other.mailbox = c.mailbox and other.is_proven
        ) then 'duplicate'
        else 'mailbox_has_signed'
      end as verdict,
      s.state, s.signature_count,
      exists (select from milestone m where m.signature_id = c.id) as milestone_reached
    from checked c
    left join stored s on s.id = c.id
    order by c.n`;
}

/** Locks petitions until the transaction ends, in the order in which `insertGroup` locks them. */
export async function lockPetitions(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx`
    select from petitions where id = any(${ids}::uuid[]) order by id for no key update`;
}

/**
 * Stores a signature of an account with a proven address in the place of one that its mailbox has on the
 * petition, if that one is not proven: somebody else may have given it. The count stays, and so does the state. Where
 * that is held or invalid, signature.forgotten is the only event.
 * The caller has locked the petition, and `insertGroup` has checked the request. Returns undefined if there is
 * no such signature, it is proven, or the petition was closed meanwhile.
 */
export async function replaceUnproven(
  tx: Tx,
  request: SignatureRequest,
): Promise<SignatureOutcome | undefined> {
  return tx.first<SignatureOutcome>`
    with request as (${requestRows(tx, [request])}),
    signer as (
      select r.*, u.has_disposable_address, p.version, p.signature_count, p.trend,
        mailbox_on(p.id, u.mailbox) as mailbox, mailbox_on(p.id, u.mail_domain) as mail_domain
      from request r
      join users u on u.id = r.user_id and u.email_verified_at is not null
        and u.suspended_at is null
      join petitions p on p.id = r.petition_id and p.status = 'active' and p.deleted_at is null
        and (p.closes_at is null or p.closes_at > clock_timestamp())
    ),
    removed as (
      delete from signatures s using signer
      where s.petition_id = signer.petition_id and s.mailbox = signer.mailbox and not s.is_proven
        -- Verified while the signature was being stored.
        and not exists (
          select from users other
          where other.id = s.user_id and other.email_verified_at is not null)
      returning s.id, s.petition_id, s.version, s.state, s.invalidated_by, s.created_at, s.place,
        s.source, s.share_id
    ),
    added as (
      insert into signatures
        (id, petition_id, user_id, version, is_anonymous, comment, display_location, signer_name,
          updates, consent_version, privacy_version, origin, country, device, place, source, share_id, is_proven, mailbox, mail_domain, is_disposable, state,
          invalidated_by)
      select n.id, n.petition_id, n.user_id, n.version, n.is_anonymous, n.comment,
        n.display_location, n.signer_name, n.updates, n.consent_version, n.privacy_version, n.origin, n.country, n.device, n.place, n.source, n.share_id, true,
        n.mailbox, n.mail_domain, n.has_disposable_address, removed.state, removed.invalidated_by
      from signer n, removed
    ),
    noted as (
      update petitions p set
        has_withdrawn_invalid = p.has_withdrawn_invalid or removed.state <> 'counted',
        trend = case when removed.state <> 'counted' then p.trend
          else trend_after(trend_after(signer.trend, -1, removed.created_at), 1, now()) end
      from signer, removed
      where p.id = signer.petition_id
    ),
    event as (
      insert into events (transaction, type, petition_id, actor_type, actor_id, data)
      -- The column's default, evaluated once, so that no reader of the log sees one event without the other.
      select (select event_transaction()), type, n.petition_id, actor_type, actor_id, jsonb_strip_nulls(data)
      from signer n, removed
      cross join lateral (values
        (1, 'signature.removed', 'system', null, jsonb_build_object(
          'signature_id', removed.id, 'version', removed.version,
          'signature_count', n.signature_count, 'place', removed.place,
          'source', removed.source, 'share_id', removed.share_id,
          'signed_at', removed.created_at)),
        (2, 'signature.created', case when n.key_id is null then 'user' else 'api_key' end,
          case when not n.is_anonymous then coalesce(n.key_id, n.user_id) end,
          jsonb_build_object('signature_id', n.id, 'version', n.version,
          'signature_count', n.signature_count, 'place', n.place, 'source', n.source,
          'share_id', n.share_id))
      ) events (position, type, actor_type, actor_id, data)
      where removed.state = 'counted'
      order by events.position
    ),
    forgotten as (
      ${insertEvents(tx, forgottenEvents(tx, tx`removed where state <> 'counted'`))}
    )
    select 'signed' as verdict, removed.state, signer.signature_count, false as milestone_reached
    from signer, removed`;
}

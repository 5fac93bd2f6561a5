import { milestoneCounts, milestoneStep } from '../campaigns/signatures/milestones.ts';
import type { SignatureRequest } from '../campaigns/signatures/signing-queries.ts';
import type { Origin } from '../campaigns/signatures/origins.ts';
import type { Tx } from '../platform/db.ts';

// Writes data with past times, which the functions of the service do not allow. The tables belong to their slices; only
// this file writes them from outside, and only for the demo world.

// An arbitrary number, unique among the advisory locks of this database.
const demoLock = 7_240_115;

/** Locks the creation of the demo world until the transaction ends. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${demoLock})`;
}

export async function anyUserWith(tx: Tx, emails: string[]): Promise<boolean> {
  return tx.exists`select from users where lower(email) = any(${emails}::text[])`;
}

export async function backdateUser(tx: Tx, id: string, joined: Date): Promise<void> {
  await tx`
    update users set created_at = ${joined},
      email_verified_at = case when email_verified_at is not null then ${joined}::timestamptz end
    where id = ${id}`;
}

export interface BulkUser {
  id: string;
  email: string;
  name: string;
  slug: string;
  joined: Date;
}

/** Inserts accounts without passwords. */
export async function insertUsers(tx: Tx, users: BulkUser[]): Promise<void> {
  await tx`
    insert into users (id, email, display_name, slug, email_verified_at, created_at)
    select id, email, name, slug, joined, joined
    from jsonb_to_recordset(${tx.json(users)}) as r (id uuid, email text, name text,
      slug text, joined timestamptz)`;
}

/** A signature with a time in the past. */
export type PastSignature = Omit<
  SignatureRequest,
  'hasCode' | 'block' | 'shareId' | 'signerName' | 'updates' | 'consentVersion' | keyof Origin
> & {
  createdAt: Date;
};

/** Inserts signatures only; `updateCounts` then updates counts, trends and milestones. */
export async function insertSignatures(tx: Tx, signatures: PastSignature[]): Promise<void> {
  await tx`
    insert into signatures
      (id, petition_id, user_id, version, is_anonymous, comment, display_location, created_at,
        place, source)
    select id, "petitionId", "userId", 1, "isAnonymous", comment, "displayLocation", "createdAt",
      place, source
    from jsonb_to_recordset(${tx.json(signatures)}) as r (id uuid, "petitionId" uuid,
      "userId" uuid, "isAnonymous" boolean, comment text, "displayLocation" text,
      "createdAt" timestamptz, place text, source text)
    order by id`;
}

/** Inserts views of these petitions, in proportion to signatures and their sources. */
export async function insertViews(tx: Tx, petitionIds: string[]): Promise<void> {
  await tx`
    insert into petition_views (petition_id, day, source, views)
    select petition_id, day, source, count * 3 + extract(day from day)::integer % 5
    from signature_source_days where petition_id = any(${petitionIds}::uuid[])`;
}

/** Updates counts, trends and milestones of these petitions. Stores no events, since they would have the present time. */
export async function updateCounts(tx: Tx, petitionIds: string[]): Promise<void> {
  // Computes at once what trend_after (migrations/0003) adds up for each signature.
  await tx`
    update petitions p set signature_count = s.n, sort_count = s.n,
      trend = s.newest + ln(s.weight) / ln(2), sort_trend = s.newest + ln(s.weight) / ln(2)
    from (
      select petition_id, newest, count(*)::integer as n,
        sum(2 ^ greatest(day - newest, -1000)) as weight
      from (
        select petition_id, extract(epoch from created_at)::double precision / 86400 as day,
          max(extract(epoch from created_at)::double precision / 86400)
            over (partition by petition_id) as newest
        from signatures where petition_id = any(${petitionIds}::uuid[])
      ) days
      group by petition_id, newest
    ) s
    where p.id = s.petition_id`;
  await tx`
    insert into milestones (petition_id, threshold, signature_id, reached_at)
    select petition_id, n, s.id, s.created_at
    from (
      select id, petition_id, created_at,
        row_number() over (partition by petition_id order by id)::integer as n
      from signatures where petition_id = any(${petitionIds}::uuid[])
    ) s
    join petitions p on p.id = s.petition_id
    where n = any(${[...milestoneCounts]}::integer[])
      or n % ${milestoneStep} = 0 or n = p.signature_goal`;
}

export interface PetitionTimes {
  created: Date;
  published?: Date;
  closed?: Date;
}

/** Sets the times of a petition. */
export async function backdatePetition(
  tx: Tx,
  id: string,
  { created, published, closed }: PetitionTimes,
): Promise<void> {
  await tx`
    update petitions set created_at = ${created}, published_at = ${published ?? null},
      closed_at = ${closed ?? null}
    where id = ${id}`;
  await tx`update petition_versions set created_at = ${created} where petition_id = ${id}`;
  await tx`update decision_makers set created_at = ${created} where petition_id = ${id}`;
}

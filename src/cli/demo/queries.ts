import { milestoneCounts, milestoneStep } from '../../campaigns/signatures/milestones.ts';
import type { SignatureRequest } from '../../campaigns/signatures/signing-queries.ts';
import type { Origin } from '../../campaigns/signatures/origins.ts';
import type { Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';

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
  | 'hasCode'
  | 'block'
  | 'shareId'
  | 'signerName'
  | 'updates'
  | 'consentVersion'
  | 'privacyVersion'
  | keyof Origin
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

export async function insertMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx`
    insert into memberships (id, org_id, user_id, role)
    values (${newId()}, ${organizationId}, ${userId}, 'member')`;
}

/** A picture that was made, as `media` has it. */
export interface PastPicture {
  id: string;
  userId: string;
  type: 'petition_image' | 'petition_update_image' | 'user_avatar';
  recordId: string;
  token: string;
  variants: { size: number; width: number; height: number }[];
  url: string;
}

/** Stores a picture and shows it on its record. */
export async function insertPicture(tx: Tx, picture: PastPicture): Promise<void> {
  const { id, userId, type, recordId, token, variants, url } = picture;
  await tx`
    insert into media (id, user_id, entity_type, record_id, token, content_type, status, variants,
      confirmed_at, upload_removed)
    values (${id}, ${userId}, ${type}, ${recordId}, ${token}, 'image/png', 'ready',
      ${tx.json(variants)}, now(), true)`;
  switch (type) {
    case 'petition_image':
      await tx`update petitions set image_url = ${url} where id = ${recordId}`;
      break;
    case 'petition_update_image':
      await tx`update updates set image_url = ${url} where id = ${recordId}`;
      break;
    case 'user_avatar':
      await tx`update users set avatar_url = ${url} where id = ${recordId}`;
  }
}

export interface PastUpdate {
  id: string;
  petitionId: string;
  title: string;
  body: string;
  at: Date;
}

export async function insertUpdate(tx: Tx, update: PastUpdate): Promise<void> {
  const { id, petitionId, title, body, at } = update;
  await tx`
    insert into updates (id, petition_id, title, body, created_at, updated_at)
    values (${id}, ${petitionId}, ${title}, ${body}, ${at}, ${at})`;
}

export interface PastComment {
  id: string;
  petitionId: string;
  userId: string;
  /** Undefined for the first one of a thread. */
  answers?: string;
  body: string;
  at: Date;
}

/** Inserts a comment, and counts it where it is an answer. */
export async function insertComment(tx: Tx, comment: PastComment): Promise<void> {
  const { id, petitionId, userId, answers = null, body, at } = comment;
  await tx`
    insert into comments (id, petition_id, user_id, root_id, parent_id, body, created_at, updated_at)
    values (${id}, ${petitionId}, ${userId}, ${answers ?? id}, ${answers}, ${body}, ${at}, ${at})`;
  await tx`
    update comments set reply_count = reply_count + 1, last_reply_id = ${id} where id = ${answers}`;
}

export interface PastResponse {
  id: string;
  petitionId: string;
  /** Name of the decision maker. */
  by: string;
  position: string;
  body: string;
  at: Date;
}

/** Inserts a published response of one of the petition's decision makers. */
export async function insertResponse(tx: Tx, response: PastResponse): Promise<void> {
  const { id, petitionId, by, position, body, at } = response;
  await tx`
    insert into decision_maker_responses
      (id, petition_id, maker_id, body, status, created_at, published_at)
    select ${id}, petition_id, id, ${body}, ${position}, ${at}, ${at}
    from decision_makers where petition_id = ${petitionId} and name = ${by}`;
}

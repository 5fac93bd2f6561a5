import { profileOfUser } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { Db } from '../../platform/db.ts';
import type { PetitionSummary } from '../petitions/schema.ts';
import type { UserSignature } from './schema.ts';

/** A signature, as the one who gave it sees it. */
export interface OwnSignature {
  id: string;
  is_anonymous: boolean;
  comment: string | null;
  display_location: string | null;
  created_at: Date;
  petition: Pick<PetitionSummary, 'id' | 'slug' | 'title' | 'status'>;
}

export interface SignatureRow {
  id: string;
  is_anonymous: boolean;
  comment: string | null;
  display_location: string | null;
  created_at: Date;
  user: PublicProfile | null;
}

const withSigners = (db: Db) => db`
  select s.id, s.is_anonymous, s.comment, s.display_location, s.created_at,
    case when u.id is not null then ${profileOfUser(db)} end as user
  from signatures s
  left join users u on u.id = s.user_id and not s.is_anonymous`;

/** Valid signatures of a petition, newest first. An anonymous one comes without its signer. */
export async function listSignatures(
  db: Db,
  petitionId: string,
  beforeId: string | null,
  limit: number,
): Promise<SignatureRow[]> {
  return db<SignatureRow[]>`
    ${withSigners(db)}
    where s.petition_id = ${petitionId} and s.invalidated_by is null
      ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

/** Those of the signatures that the list of a petition shows to everybody, newest first. */
export async function publicSignatures(
  db: Db,
  petitionId: string,
  ids: string[],
): Promise<SignatureRow[]> {
  return db<SignatureRow[]>`
    ${withSigners(db)}
    join petitions p on p.id = s.petition_id and p.signature_privacy = 'public'
    where s.petition_id = ${petitionId} and s.id = any(${ids}::uuid[])
      and s.invalidated_by is null
    order by s.id desc`;
}

/** The valid ones of these signatures, each given with its petition. */
export async function findSignatures(
  db: Db,
  wanted: { petitionId: string; id: string }[],
): Promise<SignatureRow[]> {
  const petitionIds = wanted.map(({ petitionId }) => petitionId);
  const ids = wanted.map(({ id }) => id);
  return db<SignatureRow[]>`
    ${withSigners(db)}
    where (s.petition_id, s.id) in (select * from unnest(${petitionIds}::uuid[], ${ids}::uuid[]))
      and s.invalidated_by is null`;
}

/**
 * What a user signed for everybody to see, newest first: valid, not anonymously, and petitions in the
 * public lists whose signatures are public. People sign hundreds, not millions, so the index by user is
 * enough, and ordering them costs little.
 */
export async function listPublicSignaturesOf(
  db: Db,
  userId: string,
  beforeId: string | null,
  limit: number,
): Promise<UserSignature[]> {
  return db<UserSignature[]>`
    select s.id, s.comment, s.display_location, s.created_at,
      json_build_object('id', p.id, 'slug', p.slug, 'title', p.title) as petition
    from signatures s
    join petitions p on p.id = s.petition_id
    where s.user_id = ${userId} and not s.is_anonymous and s.invalidated_by is null
      and p.listed and p.signature_privacy = 'public'
      ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

/**
 * All that a user signed, newest first, anonymously or not, but for petitions that are gone. An invalid
 * one is listed as any other: that it does not count is told nobody.
 */
export async function listSignaturesBy(
  db: Db,
  userId: string,
  beforeId: string | null,
  limit: number,
): Promise<OwnSignature[]> {
  return db<OwnSignature[]>`
    select s.id, s.is_anonymous, s.comment, s.display_location, s.created_at,
      json_build_object('id', p.id, 'slug', p.slug, 'title', p.title, 'status', p.status) as petition
    from signatures s
    join petitions p on p.id = s.petition_id
    where s.user_id = ${userId} and p.deleted_at is null
      ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

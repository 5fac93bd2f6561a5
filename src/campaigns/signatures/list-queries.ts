import { profileOfUser } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { Db } from '../../platform/db.ts';
import { firstIdOf, idToleranceMs } from '../../platform/ids.ts';
import type { OwnSignature, UserSignature } from './schema.ts';

export interface SignatureRow {
  id: string;
  is_anonymous: boolean;
  comment: string | null;
  display_location: string | null;
  created_at: Date;
  user: PublicProfile | null;
}

/** Signatures with their signers, without name and comment of those of quarantined accounts. */
const selectWithSigners = (db: Db) => db`
  select s.id, s.is_anonymous, case when q.user_id is null then s.comment end as comment, s.display_location, s.created_at,
    case when u.id is not null
      then ${profileOfUser(db, db`coalesce(s.signer_name, u.display_name)`)} end as user
  from signatures s
  left join quarantined_accounts q on q.user_id = s.user_id
  left join users u on u.id = s.user_id and not s.is_anonymous and q.user_id is null`;

/**
 * Returns valid signatures of a petition, newest first. `user` is null for anonymous ones. Those after a time are found by
 * the primary key: ids contain the time.
 */
export async function listSignatures(
  db: Db,
  petitionId: string,
  { beforeId, signedAfter }: { beforeId: string | null; signedAfter: Date | undefined },
  limit: number,
): Promise<SignatureRow[]> {
  const firstId = signedAfter && firstIdOf(new Date(signedAfter.getTime() - idToleranceMs));
  return db<SignatureRow[]>`
    ${selectWithSigners(db)}
    where s.petition_id = ${petitionId} and s.state = 'counted'
      ${beforeId ? db`and s.id < ${beforeId}` : db``}
      ${signedAfter ? db`and s.id >= ${firstId!} and s.created_at > ${signedAfter}` : db``}
    order by s.id desc
    limit ${limit}`;
}

/** Returns those of the signatures that the petition's public list shows, newest first. */
export async function findPublicSignatures(
  db: Db,
  petitionId: string,
  ids: string[],
): Promise<SignatureRow[]> {
  return db<SignatureRow[]>`
    ${selectWithSigners(db)}
    join petitions p on p.id = s.petition_id and p.signature_privacy = 'public'
    where s.petition_id = ${petitionId} and s.id = any(${ids}::uuid[])
      and s.state = 'counted'
    order by s.id desc`;
}

/** Returns the valid ones of these signatures. */
export async function findSignatures(
  db: Db,
  references: { petitionId: string; id: string }[],
): Promise<SignatureRow[]> {
  const petitionIds = references.map(({ petitionId }) => petitionId);
  const ids = references.map(({ id }) => id);
  return db<SignatureRow[]>`
    ${selectWithSigners(db)}
    where (s.petition_id, s.id) in (select * from unnest(${petitionIds}::uuid[], ${ids}::uuid[]))
      and s.state = 'counted'`;
}

/**
 * Returns a user's public signatures, newest first: valid, not anonymous, of listed petitions with public
 * signatures. The index by user suffices, since people sign hundreds of petitions, not millions.
 */
export async function listPublicSignaturesOf(
  db: Db,
  userId: string,
  beforeId: string | null,
  limit: number,
): Promise<UserSignature[]> {
  return db<UserSignature[]>`
    select s.id, s.comment, s.display_location, s.created_at,
      json_build_object('id', p.id, 'slug', p.slug, 'title', p.title,
        'language', p.language) as petition
    from signatures s
    join petitions p on p.id = s.petition_id
    where s.user_id = ${userId} and not s.is_anonymous and s.state = 'counted'
      and p.listed and p.signature_privacy = 'public'
      ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

/** A signature as its signer sees it, without what follows from the settings. */
export type OwnSignatureRow = Omit<OwnSignature, 'receipt_url'>;

const selectOwn = (db: Db) => db`
  select s.id, coalesce(s.signer_name, u.display_name) as name, s.is_anonymous, s.comment,
    s.display_location, s.updates, s.state, s.created_at,
    json_build_object('id', p.id, 'slug', p.slug, 'title', p.title,
      'language', p.language, 'status', p.status) as petition
  from signatures s
  join users u on u.id = s.user_id
  join petitions p on p.id = s.petition_id and p.deleted_at is null`;

/** Returns all signatures of a user except those of deleted petitions, newest first: anonymous, held and invalid ones too. */
export async function listSignaturesBy(
  db: Db,
  userId: string,
  beforeId: string | null,
  limit: number,
): Promise<OwnSignatureRow[]> {
  return db<OwnSignatureRow[]>`
    ${selectOwn(db)}
    where s.user_id = ${userId} ${beforeId ? db`and s.id < ${beforeId}` : db``}
    order by s.id desc
    limit ${limit}`;
}

/** Returns a user's own signature of a petition. */
export const findOwnSignature = (
  db: Db,
  petitionId: string,
  userId: string,
): Promise<OwnSignatureRow | undefined> =>
  db.first<OwnSignatureRow>`
    ${selectOwn(db)} where s.petition_id = ${petitionId} and s.user_id = ${userId}`;

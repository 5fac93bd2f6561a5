import { giveRows } from '../../platform/rows-of-accounts.ts';
import { profileOfUser } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { OrganizerInput } from './schema.ts';

export interface OrganizerRow {
  id: string;
  petition_id: string;
  /** Null once the account of that address was erased. */
  email: string | null;
  user_id: string | null;
  user: PublicProfile | null;
  role: OrganizerInput['role'];
  created_at: Date;
  expires_at: Date | null;
  hand_over_offered_at: Date | null;
}

const selectOrganizers = (db: Db) => db`
  select o.id, o.petition_id, o.email, o.user_id, o.role, o.created_at, o.expires_at,
    o.hand_over_offered_at,
    case when u.id is not null then ${profileOfUser(db)} end as "user"
  from petition_organizers o left join users u on u.id = o.user_id`;

/** Condition: an organizer, or an invitation that can be accepted. */
const isInForce = (db: Db) => db`(o.user_id is not null or o.expires_at > now())`;

export async function listOrganizers(
  db: Db,
  petitionId: string,
  before: string | null,
  limit: number,
): Promise<OrganizerRow[]> {
  return db<OrganizerRow[]>`
    ${selectOrganizers(db)}
    where o.petition_id = ${petitionId} and ${isInForce(db)}
      ${before ? db`and o.id < ${before}` : db``}
    order by o.id desc
    limit ${limit}`;
}

interface OrganizerRefInput {
  petitionId: string;
  id: string;
}

export async function findOrganizer(
  db: Db,
  { petitionId, id }: OrganizerRefInput,
): Promise<OrganizerRow | undefined> {
  return db.first<OrganizerRow>`
    ${selectOrganizers(db)} where o.petition_id = ${petitionId} and o.id = ${id} and ${isInForce(db)}`;
}

/** Returns the organizer to whom the petition is offered. */
export async function findOffered(db: Db, petitionId: string): Promise<OrganizerRow | undefined> {
  return db.first<OrganizerRow>`
    ${selectOrganizers(db)}
    where o.petition_id = ${petitionId} and o.hand_over_offered_at is not null`;
}

/** Returns the organizer or invitation that a mailed link is about. */
export async function findByToken(db: Db, tokenHash: Buffer): Promise<OrganizerRow | undefined> {
  return db.first<OrganizerRow>`${selectOrganizers(db)} where o.token_hash = ${tokenHash}`;
}

/** Whether somebody organizes the petition by another invitation than this one. */
export const organizes = (
  db: Db,
  { petitionId, userId, exceptId }: { petitionId: string; userId: string; exceptId: string },
): Promise<boolean> => db.exists`
  select from petition_organizers
  where petition_id = ${petitionId} and user_id = ${userId} and id <> ${exceptId}`;

interface PetitionOfCreator {
  id: string;
  slug: string;
  title: string;
  language: string | null;
  creator: PublicProfile;
}

/** Returns a petition with its creator; undefined if it was deleted, or has none. */
export async function findPetitionOfCreator(
  db: Db,
  id: string,
): Promise<PetitionOfCreator | undefined> {
  return db.first<PetitionOfCreator>`${selectPetition(db, id)}`;
}

/** As `findPetitionOfCreator`, to which people can be invited; undefined also if its creator is suspended. */
export async function findInvitedPetition(
  db: Db,
  id: string,
): Promise<PetitionOfCreator | undefined> {
  return db.first<PetitionOfCreator>`${selectPetition(db, id)} and u.suspended_at is null`;
}

const selectPetition = (db: Db, id: string) => db`
  select p.id, p.slug, p.title, p.language, ${profileOfUser(db)} as creator
  from petitions p join users u on u.id = p.creator_id
  where p.id = ${id} and p.deleted_at is null`;

export const countOrganizers = (db: Db, petitionId: string): Promise<number> =>
  db.value<number>`
    select count(*)::integer from petition_organizers o
    where o.petition_id = ${petitionId} and ${isInForce(db)}`;

/** Whether an address has an invitation that can be accepted, or accepted one. */
export const isAdded = (db: Db, petitionId: string, email: string): Promise<boolean> =>
  db.exists`
    select from petition_organizers o
    where o.petition_id = ${petitionId} and lower(o.email) = lower(${email}) and ${isInForce(db)}`;

interface NewInvitation extends OrganizerInput {
  id: string;
  petitionId: string;
  tokenHash: Buffer;
  expiresAt: Date;
}

/** Stores an invitation, in place of an expired one to the address. Returns false if the address has one, or accepted it. */
export async function insertInvitation(
  tx: Tx,
  { id, petitionId, email, role, tokenHash, expiresAt }: NewInvitation,
): Promise<boolean> {
  return tx.changed`
    insert into petition_organizers as o (id, petition_id, email, role, token_hash, expires_at)
    values (${id}, ${petitionId}, ${email}, ${role}, ${tokenHash}, ${expiresAt})
    on conflict (petition_id, lower(email)) do update
    set id = excluded.id, role = excluded.role, token_hash = excluded.token_hash,
      created_at = now(), expires_at = excluded.expires_at
    where not ${isInForce(tx)}`;
}

/** Returns false if it was accepted or has expired. */
export async function acceptInvitation(tx: Tx, id: string, userId: string): Promise<boolean> {
  return tx.changed`
    update petition_organizers
    set user_id = ${userId}, accepted_at = now(), expires_at = null
    where id = ${id} and user_id is null and expires_at > now()`;
}

export async function deleteOrganizer(
  db: Db,
  { petitionId, id }: OrganizerRefInput,
): Promise<boolean> {
  return db.changed`
    delete from petition_organizers where id = ${id} and petition_id = ${petitionId}`;
}

/** Deletes an invitation that was not accepted. Returns false if it was. */
export async function deleteInvitation(db: Db, id: string): Promise<boolean> {
  return db.changed`delete from petition_organizers where id = ${id} and user_id is null`;
}

export async function offerHandOver(tx: Tx, { petitionId, id }: OrganizerRefInput): Promise<void> {
  await tx`
    update petition_organizers set hand_over_offered_at = null
    where petition_id = ${petitionId} and hand_over_offered_at is not null and id <> ${id}`;
  await tx`
    update petition_organizers set hand_over_offered_at = coalesce(hand_over_offered_at, now())
    where id = ${id} and petition_id = ${petitionId} and user_id is not null`;
}

/** Returns false if nothing was offered. */
export async function withdrawOffer(db: Db, petitionId: string): Promise<boolean> {
  return db.changed`
    update petition_organizers set hand_over_offered_at = null
    where petition_id = ${petitionId} and hand_over_offered_at is not null`;
}

export async function deleteExpiredInvitations(db: Db): Promise<void> {
  await db`delete from petition_organizers where user_id is null and expires_at <= now()`;
}

/** Returns the petitions that an account organizes with others, and the invitations to petitions that it created. */
export async function exportOrganizers(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select id, petition_id, email, role, created_at, accepted_at, expires_at, hand_over_offered_at
    from petition_organizers where user_id = ${userId}
    union all
    select o.id, o.petition_id, o.email, o.role, o.created_at, o.accepted_at, o.expires_at,
      o.hand_over_offered_at
    from petition_organizers o join petitions p on p.id = o.petition_id
    where p.creator_id = ${userId} and o.user_id is distinct from ${userId}`;
}

export interface Successor {
  /** As an organizer. */
  id: string;
  petition_id: string;
  user_id: string;
}

/**
 * Returns who takes over the petitions of an account that is being erased: of each, the one who has organized it with them
 * for the longest and is not suspended; of an organization, one of its members. Call it with the petitions locked: nobody joins meanwhile.
 */
export async function findSuccessors(tx: Tx, creatorId: string): Promise<Successor[]> {
  return tx<Successor[]>`
    select distinct on (o.petition_id) o.id, o.petition_id, o.user_id
    from petitions p
    join petition_organizers o on o.petition_id = p.id
    join users u on u.id = o.user_id and u.suspended_at is null
    where p.creator_id = ${creatorId} and p.deleted_at is null
      and (p.org_id is null or exists (
        select from memberships m where m.org_id = p.org_id and m.user_id = o.user_id))
    order by o.petition_id, o.accepted_at, o.id`;
}

/** Deletes the invitations to a petition that were not accepted. */
export async function deleteInvitations(tx: Tx, petitionId: string): Promise<void> {
  await tx`delete from petition_organizers where petition_id = ${petitionId} and user_id is null`;
}

/** Deletes invitations to petitions of a creator, with the addresses that they entered. */
export async function deleteInvitationsOfCreator(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    delete from petition_organizers o using petitions p
    where p.id = o.petition_id and p.creator_id = ${creatorId} and o.user_id is null`;
}

/** Ends offers to hand over petitions of a creator. */
export async function withdrawOffersOfCreator(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    update petition_organizers o set hand_over_offered_at = null from petitions p
    where p.id = o.petition_id and p.creator_id = ${creatorId} and o.hand_over_offered_at is not null`;
}

/**
 * Ends the part of an account in petitions of others, and forgets its address where it was invited: a proven one, since invitations to
 * another are its owner's.
 */
export async function deleteOrganizersOfUser(tx: Tx, userId: string): Promise<void> {
  await tx`delete from petition_organizers where user_id = ${userId}`;
  const toAddress = tx`lower(email) = (
    select lower(email) from users where id = ${userId} and email_verified_at is not null)`;
  await tx`delete from petition_organizers where ${toAddress} and user_id is null`;
  // Accepted by another account.
  await tx`update petition_organizers set email = null where ${toAddress}`;
}

/** Gives the part of one account in petitions of others to another. Of two in one petition, an editor's stays. */
export async function giveOrganizers(
  tx: Tx,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx`
    delete from petition_organizers less using petition_organizers more
    where less.user_id = ${to} and more.user_id = ${from} and less.petition_id = more.petition_id
      and less.role = 'author' and more.role = 'editor'`;
  const rows = { table: 'petition_organizers', column: 'user_id', once: ['petition_id'] };
  await giveRows(tx, rows, { from, to });
}

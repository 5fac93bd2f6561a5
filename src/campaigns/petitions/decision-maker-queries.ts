import type { Db, Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { DecisionMakerInput } from './schema.ts';

export interface DecisionMakerRow {
  id: string;
  name: string;
  title: string | null;
  /** Null once the creator's account was erased. */
  email: string | null;
  /** A moderator has checked who this is. */
  verified: boolean;
}

export async function findDecisionMakers(db: Db, petitionId: string): Promise<DecisionMakerRow[]> {
  return db<DecisionMakerRow[]>`
    select id, name, title, email, verified_at is not null as verified from decision_makers where petition_id = ${petitionId}
    order by id`;
}

export async function findDecisionMakersOfMany(
  db: Db,
  petitionIds: string[],
): Promise<(DecisionMakerRow & { petition_id: string })[]> {
  return db<(DecisionMakerRow & { petition_id: string })[]>`
    select petition_id, id, name, title, email, verified_at is not null as verified
    from decision_makers
    where petition_id = any(${petitionIds}::uuid[])
    order by id`;
}

/** Adds decision makers to a petition and returns their ids. Skips addresses that it has already. */
export async function addDecisionMakers(
  tx: Tx,
  petitionId: string,
  makers: DecisionMakerInput[],
): Promise<string[]> {
  const rows = makers.map(({ name, title, email }) => ({
    id: newId(),
    petition_id: petitionId,
    name: name.trim(),
    title: title?.trim() || null,
    email,
  }));
  if (rows.length === 0) return [];
  return tx.column<string>`
    insert into decision_makers ${tx(rows)}
    on conflict (petition_id, lower(email)) do nothing
    returning id`;
}

export async function removeDecisionMaker(tx: Tx, id: string): Promise<void> {
  await tx`delete from decision_makers where id = ${id}`;
}

/** Erases the email addresses that a creator entered; names and titles are part of the petition. */
export async function eraseEmails(tx: Tx, creatorId: string): Promise<void> {
  await tx`
    update decision_makers set email = null
    where petition_id in (select id from petitions where creator_id = ${creatorId})`;
}

export interface VerifiedMakerRow {
  id: string;
  petition_id: string;
  name: string;
  title: string | null;
  /** Domain of the address; null once that was erased. */
  mail_domain: string | null;
  verified: boolean;
  verified_at: Date | null;
}

const verifiedColumns = (db: Db) => db`
  id, petition_id, name, title, nullif(split_part(lower(email), '@', 2), '') as mail_domain,
  verified_at is not null as verified, verified_at`;

/** Returns the decision makers of a petition, newest first, as moderators see them. */
export async function listMakersToVerify(
  db: Db,
  petitionId: string,
  beforeId: string | null,
  limit: number,
): Promise<VerifiedMakerRow[]> {
  return db<VerifiedMakerRow[]>`
    select ${verifiedColumns(db)} from decision_makers
    where petition_id = ${petitionId} ${beforeId ? db`and id < ${beforeId}` : db``}
    order by id desc
    limit ${limit}`;
}

/** Stores who verified a decision maker; null takes it back. Returns undefined if there is none. */
export async function setVerified(
  tx: Tx,
  id: string,
  moderatorId: string | null,
): Promise<VerifiedMakerRow | undefined> {
  return tx.first<VerifiedMakerRow>`
    update decision_makers set verified_by = ${moderatorId},
      verified_at = case when ${moderatorId}::uuid is not null then now() end
    where id = ${id}
    returning ${verifiedColumns(tx)}`;
}

export async function forgetVerifier(db: Db, userId: string): Promise<void> {
  await db`update decision_makers set verified_by = null where verified_by = ${userId}`;
}

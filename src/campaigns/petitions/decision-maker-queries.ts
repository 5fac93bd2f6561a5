import type { Db, Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { DecisionMakerInput } from './schema.ts';

export interface DecisionMakerRow {
  id: string;
  name: string;
  title: string | null;
  /** Null once the creator's account was erased. */
  email: string | null;
}

export async function findDecisionMakers(db: Db, petitionId: string): Promise<DecisionMakerRow[]> {
  return db<DecisionMakerRow[]>`
    select id, name, title, email from decision_makers where petition_id = ${petitionId}
    order by id`;
}

export async function findDecisionMakersOfMany(
  db: Db,
  petitionIds: string[],
): Promise<(DecisionMakerRow & { petition_id: string })[]> {
  return db<(DecisionMakerRow & { petition_id: string })[]>`
    select petition_id, id, name, title, email from decision_makers
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

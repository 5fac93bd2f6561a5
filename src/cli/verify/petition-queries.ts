import type { Db } from '../../platform/db.ts';
import type { IdRange } from './keys.ts';

export interface PetitionRow {
  id: string;
  signature_count: number;
  imported_signature_count: number;
  invalid_signature_count: number;
  signature_goal: number | null;
  /** Whether new signatures can be invalid from the start, and so have no event. */
  has_withdrawn_invalid: boolean;
}

/** Approximate size of a batch. */
const batch = { petitions: 500, signatures: 200_000 };

/** Reads the next petitions in the order of ids, up to the size of a batch. */
export async function nextPetitions(db: Db, { after, to }: IdRange): Promise<PetitionRow[]> {
  return db<PetitionRow[]>`
    select id, signature_count, imported_signature_count, invalid_signature_count, signature_goal,
      has_withdrawn_invalid
    from (
      select *, sum(signature_count - imported_signature_count + invalid_signature_count)
        over (order by id rows between unbounded preceding and 1 preceding) as signatures_before
      from (
        select * from petitions where id > ${after} and id <= ${to}
        order by id
        limit ${batch.petitions}
      ) page
    ) numbered
    where coalesce(signatures_before, 0) < ${batch.signatures}
    order by id`;
}

export async function petitionExists(db: Db, id: string): Promise<boolean> {
  return db.exists`select from petitions where id = ${id}`;
}

/**
 * Reads when petitions were created, if their log is kept from its beginning. Older signatures were created by `npm run
 * demo`, without events.
 */
export async function creationsInLog(
  db: Db,
  { after, to }: IdRange,
): Promise<{ petition_id: string; created_at: Date }[]> {
  return db<{ petition_id: string; created_at: Date }[]>`
    select p.id as petition_id, first.created_at from petitions p
    cross join lateral (
      select e.type, e.created_at from events e
      where e.petition_id = p.id and e.type <> 'comment.created'
      order by e.transaction, e.position
      limit 1
    ) first
    where p.id > ${after} and p.id <= ${to} and first.type = 'petition.created'`;
}

export interface MilestoneRow {
  petition_id: string;
  threshold: number;
  signature_id: string;
  reached_at: Date;
  /** Whether it was voided, since it was reached only with invalid signatures. */
  voided: boolean;
}

export async function milestonesIn(db: Db, { after, to }: IdRange): Promise<MilestoneRow[]> {
  return db<MilestoneRow[]>`
    select petition_id, threshold, signature_id, reached_at, false as voided from milestones
    where petition_id > ${after} and petition_id <= ${to}
    union all
    select petition_id, threshold, signature_id, reached_at, true from voided_milestones
    where petition_id > ${after} and petition_id <= ${to}`;
}

/** Reads the ids of petitions with restored signatures, which reach no milestones. */
export async function petitionsRestored(db: Db, { after, to }: IdRange): Promise<Set<string>> {
  return new Set(
    await db.column<string>`
    select distinct petition_id from invalidations
    where petition_id > ${after} and petition_id <= ${to} and restored > 0`,
  );
}

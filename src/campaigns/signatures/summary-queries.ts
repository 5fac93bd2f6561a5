import type { Db } from '../../platform/db.ts';

export interface Milestone {
  threshold: number;
  reached_at: Date;
}

/** Returns the milestones that a petition has reached, lowest first. */
export async function findReachedMilestones(db: Db, petitionId: string): Promise<Milestone[]> {
  return db<Milestone[]>`
    select threshold, reached_at from milestones where petition_id = ${petitionId}
    order by threshold`;
}

export interface Place {
  place: string;
  count: number;
}

/**
 * Returns places that at least three signers of a petition named, most frequent first. Reads the newest
 * million signatures only, to bound the time: 100,000 took 0.3 s (PostgreSQL 18, 2 busy cores).
 */
export async function findFrequentPlaces(
  db: Db,
  petitionId: string,
  limit: number,
): Promise<Place[]> {
  return db<Place[]>`
    select display_location as place, count(*)::integer as count
    from (
      select display_location from signatures
      where petition_id = ${petitionId} and state = 'counted'
      order by id desc limit 1000000) newest
    where display_location is not null
    group by display_location
    having count(*) >= 3
    order by count(*) desc, display_location
    limit ${limit}`;
}

export interface Signer {
  name: string;
  place: string | null;
  signed_at: Date;
}

/** Returns the newest signers who did not sign anonymously. */
export async function findNewestSigners(
  db: Db,
  petitionId: string,
  limit: number,
): Promise<Signer[]> {
  return db<Signer[]>`
    select coalesce(s.signer_name, u.display_name) as name, s.display_location as place, s.created_at as signed_at
    from signatures s join users u on u.id = s.user_id
    where s.petition_id = ${petitionId} and s.state = 'counted' and not s.is_anonymous
      and not exists (select from quarantined_accounts q where q.user_id = s.user_id)
    order by s.id desc
    limit ${limit}`;
}

/** Counts the signers of a petition who have an account, at most `limit`. */
export async function countSignerAccounts(
  db: Db,
  petitionId: string,
  limit: number,
): Promise<number> {
  return db.value<number>`
    select count(*)::integer from (
      select from signatures
      where petition_id = ${petitionId} and state = 'counted' and user_id is not null
      limit ${limit}) signers`;
}

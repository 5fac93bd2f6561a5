import type { Db } from '../../platform/db.ts';

export interface Milestone {
  threshold: number;
  reached_at: Date;
}

/** The milestones that a petition has reached, lowest first. */
export async function milestonesOf(db: Db, petitionId: string): Promise<Milestone[]> {
  return db<Milestone[]>`
    select threshold, reached_at from milestones where petition_id = ${petitionId}
    order by threshold`;
}

export interface Place {
  place: string;
  count: number;
}

/**
 * Places that at least three signers of a petition named, those of most signatures first: of the newest
 * million signatures, so that the time for it has a bound. 100,000 took 0.3 s (PostgreSQL 18, 2 cores
 * that others used too).
 */
export async function placesOf(db: Db, petitionId: string, limit: number): Promise<Place[]> {
  return db<Place[]>`
    select display_location as place, count(*)::integer as count
    from (
      select display_location from signatures
      where petition_id = ${petitionId} and invalidated_by is null
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

/** Who signed last, of those who did not sign anonymously. */
export async function newestSigners(db: Db, petitionId: string, limit: number): Promise<Signer[]> {
  return db<Signer[]>`
    select u.display_name as name, s.display_location as place, s.created_at as signed_at
    from signatures s join users u on u.id = s.user_id
    where s.petition_id = ${petitionId} and s.invalidated_by is null and not s.is_anonymous
    order by s.id desc
    limit ${limit}`;
}

import type { CursorKeys } from '../../platform/cursor.ts';
import type { Db } from '../../platform/db.ts';
import { selectPetitions, type PetitionRow } from './queries.ts';

/** Returns petitions that a user organizes with their creators, newest first. */
export async function listOrganizedBy(
  db: Db,
  userId: string,
  before: string | undefined,
  limit: number,
): Promise<PetitionRow[]> {
  return db<PetitionRow[]>`
    ${selectPetitions(db)}
    join petition_organizers mine on mine.petition_id = p.id
    where mine.user_id = ${userId} and p.deleted_at is null
      ${before ? db`and p.id < ${before}` : db``}
    order by p.id desc
    limit ${limit}`;
}

/**
 * Returns the published petitions of these organizations, of any visibility, newest first. Reads at most
 * one page per organization from the index petitions_published_for. Measured among 500,000 petitions:
 * 0.6 ms for an organization with 16,000, at any depth; 17 ms for 1,000 organizations; up to 1 s without
 * the index.
 */
export async function listPublishedFor(
  db: Db,
  { orgIds, excludedCreatorId }: { orgIds: string[]; excludedCreatorId?: string },
  after: CursorKeys | null,
  limit: number,
): Promise<PetitionRow[]> {
  if (orgIds.length === 0) return [];
  return db<PetitionRow[]>`
    ${selectPetitions(db)}
    where p.id = any(array(
      select newest.id
      from unnest(${orgIds}::uuid[]) as organization(id)
      cross join lateral (
        select id, sort_at from petitions
        where org_id = organization.id and deleted_at is null
          and status in ('active', 'closed', 'victory')
          ${excludedCreatorId ? db`and creator_id is distinct from ${excludedCreatorId}` : db``}
          ${after ? db`and (sort_at, id) < (${after[0]!}::timestamptz, ${after[1]!}::uuid)` : db``}
        order by sort_at desc, id desc
        limit ${limit}) newest
      order by newest.sort_at desc, newest.id desc
      limit ${limit}))
    order by p.sort_at desc, p.id desc`;
}

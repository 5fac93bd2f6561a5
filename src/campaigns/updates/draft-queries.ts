import type { Db } from '../../platform/db.ts';

export interface UpdateDraft {
  title: string;
  body: string;
}

/** An organizer has one draft on each petition. */
export interface DraftRef {
  petitionId: string;
  userId: string;
}

export async function findDraft(
  db: Db,
  { petitionId, userId }: DraftRef,
): Promise<UpdateDraft | undefined> {
  return db.first<UpdateDraft>`
    select title, body from update_drafts_by_author
    where petition_id = ${petitionId} and user_id = ${userId}`;
}

export async function saveDraft(
  db: Db,
  { petitionId, userId }: DraftRef,
  { title, body }: UpdateDraft,
): Promise<void> {
  await db`
    insert into update_drafts_by_author (petition_id, user_id, title, body)
    values (${petitionId}, ${userId}, ${title}, ${body})
    on conflict (petition_id, user_id) do update
    set title = excluded.title, body = excluded.body, saved_at = now()`;
}

export async function deleteDraft(db: Db, { petitionId, userId }: DraftRef): Promise<void> {
  await db`
    delete from update_drafts_by_author
    where petition_id = ${petitionId} and user_id = ${userId}`;
}

export async function findDraftsOfAuthor(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select petition_id, title, body, saved_at from update_drafts_by_author
    where user_id = ${userId} order by petition_id`;
}

export async function deleteDraftsOfAuthor(db: Db, userId: string): Promise<void> {
  await db`delete from update_drafts_by_author where user_id = ${userId}`;
}

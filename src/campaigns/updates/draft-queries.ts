import type { Db } from '../../platform/db.ts';

export interface UpdateDraft {
  title: string;
  body: string;
}

export async function findDraft(db: Db, petitionId: string): Promise<UpdateDraft | undefined> {
  return db.first<UpdateDraft>`
    select title, body from update_drafts where petition_id = ${petitionId}`;
}

export async function saveDraft(
  db: Db,
  petitionId: string,
  { title, body }: UpdateDraft,
): Promise<void> {
  await db`
    insert into update_drafts (petition_id, title, body) values (${petitionId}, ${title}, ${body})
    on conflict (petition_id) do update
    set title = excluded.title, body = excluded.body, saved_at = now()`;
}

export async function deleteDraft(db: Db, petitionId: string): Promise<void> {
  await db`delete from update_drafts where petition_id = ${petitionId}`;
}

export async function findDraftsOfCreator(db: Db, creatorId: string): Promise<readonly object[]> {
  return db`
    select d.petition_id, d.title, d.body, d.saved_at
    from update_drafts d join petitions p on p.id = d.petition_id
    where p.creator_id = ${creatorId} order by d.petition_id`;
}

export async function deleteDraftsOfCreator(db: Db, creatorId: string): Promise<void> {
  await db`
    delete from update_drafts using petitions p
    where p.id = update_drafts.petition_id and p.creator_id = ${creatorId}`;
}

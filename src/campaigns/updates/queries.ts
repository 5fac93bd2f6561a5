import type { Db, Tx } from '../../platform/db.ts';
import type { UpdateChanges } from './schema.ts';

export interface UpdateRow {
  id: string;
  petition_id: string;
  /** Null for older ones, which are by the creator, and after the account was erased. */
  author_id: string | null;
  title: string;
  body: string;
  image_url: string | null;
  image_alt: string | null;
  created_at: Date;
  updated_at: Date;
}

const columns = (db: Db) => db`
  id, petition_id, author_id, title, body, image_url, image_alt, created_at, updated_at`;

export async function findUpdate(db: Db, id: string): Promise<UpdateRow | undefined> {
  return db.first<UpdateRow>`select ${columns(db)} from updates where id = ${id}`;
}

/** Returns the update, locked until the transaction ends. */
export async function lockUpdate(tx: Tx, id: string): Promise<UpdateRow | undefined> {
  return tx.first<UpdateRow>`select ${columns(tx)} from updates where id = ${id} for update`;
}

export async function listUpdates(
  db: Db,
  petitionId: string,
  beforeId: string | null,
  limit: number,
): Promise<UpdateRow[]> {
  return db<UpdateRow[]>`
    select ${columns(db)} from updates
    where petition_id = ${petitionId} ${beforeId ? db`and id < ${beforeId}` : db``}
    order by id desc
    limit ${limit}`;
}

type NewUpdate = Pick<
  UpdateRow,
  'id' | 'petition_id' | 'author_id' | 'title' | 'body' | 'image_url' | 'image_alt'
>;

export async function insertUpdate(tx: Tx, update: NewUpdate): Promise<UpdateRow> {
  return tx.one<UpdateRow>`insert into updates ${tx(update)} returning ${columns(tx)}`;
}

/** Returns undefined if the update was deleted. */
export async function changeUpdate(
  db: Db,
  id: string,
  { title, body, image_url, image_alt }: UpdateChanges,
): Promise<UpdateRow | undefined> {
  return db.first<UpdateRow>`
    update updates set
      title = coalesce(${title ?? null}, title),
      body = coalesce(${body ?? null}, body),
      image_url = case when ${image_url !== undefined} then ${image_url ?? null} else image_url end,
      image_alt = case when ${image_alt !== undefined} then ${image_alt ?? null} else image_alt end,
      updated_at = now()
    where id = ${id}
    returning ${columns(db)}`;
}

export async function deleteUpdate(tx: Tx, id: string): Promise<void> {
  await tx`delete from updates where id = ${id}`;
}

/** Returns the updates that an account wrote: those without an author are by the petition's creator, unless that was erased. */
export async function findUpdatesOfAuthor(db: Db, userId: string): Promise<readonly object[]> {
  return db`
    select u.id, u.petition_id, p.title as petition_title, u.title, u.body, u.image_url, u.image_alt,
      u.created_at, u.updated_at
    from updates u join petitions p on p.id = u.petition_id
    where u.author_id = ${userId} or (u.author_id is null and not u.author_erased and p.creator_id = ${userId})
    order by u.id`;
}

/** Stores that the updates of a petition without an author are by this account, before it has another creator. */
export async function keepAuthor(tx: Tx, petitionId: string, authorId: string): Promise<void> {
  await tx`
    update updates set author_id = ${authorId}
    where petition_id = ${petitionId} and author_id is null and not author_erased`;
}

/** Removes an account from the updates that it wrote. */
export async function eraseAuthor(tx: Tx, userId: string): Promise<void> {
  await tx`
    update updates set author_id = null, author_erased = true where author_id = ${userId}`;
}

export async function findUpdates(db: Db, ids: string[]): Promise<UpdateRow[]> {
  return db<UpdateRow[]>`
    select ${columns(db)} from updates where id = any(${ids}::uuid[])`;
}

/** Returns those of the image URLs that updates of existing petitions show, as their image or in their text. */
export async function findShownImages(db: Db, urls: string[]): Promise<string[]> {
  return db.column<string>`
    select u.image_url as url from updates u join petitions p on p.id = u.petition_id
    where u.image_url = any(${urls}) and u.image_url is not null and p.deleted_at is null
    union
    select url from unnest(${urls}::text[]) url
    where picture_tokens(url) && array(
      select unnest(picture_tokens(u.body)) from updates u join petitions p on p.id = u.petition_id
      where picture_tokens(u.body) && picture_tokens(${urls.join('\n')})
        and u.body like '%/media/%' and p.deleted_at is null)`;
}

/** Returns the next image URLs of updates, in order and each once. */
export async function listImages(db: Db, after: string, limit: number): Promise<string[]> {
  return db.column<string>`
    select distinct image_url from updates where image_url > ${after}
    order by image_url limit ${limit}`;
}

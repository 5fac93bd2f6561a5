import type { Db, Tx } from '../../platform/db.ts';
import type { Size, Variant } from './pictures.ts';
import type { EntityType, mediaStatuses, PictureType } from './schema.ts';

export interface MediaRow {
  id: string;
  user_id: string | null;
  entity_type: EntityType;
  record_id: string | null;
  token: string;
  content_type: PictureType;
  status: (typeof mediaStatuses)[number];
  refusal: string | null;
  variants: { size: Size; width: number; height: number }[];
  created_at: Date;
}

const columns = (db: Db) => db`
  id, user_id, entity_type, record_id, token, content_type, status, refusal, variants, created_at`;

export type NewMedia = Pick<MediaRow, 'id' | 'entity_type' | 'token' | 'content_type'> & {
  user_id: string;
};

export async function insertMedia(db: Db, media: NewMedia): Promise<MediaRow> {
  const [row] = await db<MediaRow[]>`insert into media ${db(media)} returning ${columns(db)}`;
  return row!;
}

export async function findMedia(db: Db, id: string): Promise<MediaRow | undefined> {
  const [row] = await db<MediaRow[]>`select ${columns(db)} from media where id = ${id}`;
  return row;
}

export async function findReadyByToken(db: Db, token: string): Promise<MediaRow | undefined> {
  const [row] = await db<MediaRow[]>`
    select ${columns(db)} from media where token = ${token} and status = 'ready'`;
  return row;
}

/** Takes a pending upload for the record, if any. Undefined where it is not pending any more. */
export async function markUploaded(
  tx: Tx,
  id: string,
  recordId: string | null,
): Promise<MediaRow | undefined> {
  const [row] = await tx<MediaRow[]>`
    update media set status = 'uploaded', record_id = ${recordId}, confirmed_at = clock_timestamp()
    where id = ${id} and status = 'pending'
    returning ${columns(tx)}`;
  return row;
}

/** Refuses a pending upload for good. False where it was confirmed or refused before. */
export async function markRefused(db: Db, id: string, refusal: string): Promise<boolean> {
  const result = await db`
    update media set status = 'failed', refusal = ${refusal}
    where id = ${id} and status = 'pending'`;
  return result.count === 1;
}

/** The upload, now in processing; undefined where there is nothing to do. */
export async function beginProcessing(db: Db, id: string): Promise<MediaRow | undefined> {
  const [row] = await db<MediaRow[]>`
    update media set status = 'processing'
    where id = ${id} and status in ('uploaded', 'processing')
    returning ${columns(db)}`;
  return row;
}

/** Makes a picture in processing ready; what was made ready, given up or removed meanwhile stays so. */
export async function markReady(db: Db, id: string, variants: Variant[]): Promise<void> {
  const facts = variants.map(({ size, width, height }) => ({ size, width, height }));
  await db`
    update media set status = 'ready', variants = ${db.json(facts)}
    where id = ${id} and status = 'processing'`;
}

/** False where it was made ready, given up or removed meanwhile. */
export async function markFailed(db: Db, id: string): Promise<boolean> {
  const result = await db`
    update media set status = 'failed' where id = ${id} and status in ('uploaded', 'processing')`;
  return result.count === 1;
}

/**
 * Whether this picture is not to be shown any more: another has processed it meanwhile, or a picture that
 * was confirmed later will be shown, or is, where this one would be.
 */
export async function isSuperseded(db: Db, id: string): Promise<boolean> {
  const [row] = await db`
    select status <> 'processing' or exists (
      select from media later
      where later.record_id = media.record_id and later.entity_type = media.entity_type
        and later.confirmed_at > media.confirmed_at
        and later.status in ('uploaded', 'processing', 'ready')
    ) as superseded
    from media where id = ${id}`;
  return row?.superseded ?? true;
}

/** Media that were begun and confirmed before that time and whose upload may still be stored. */
export async function staleUploads(db: Db, before: Date, limit: number): Promise<MediaRow[]> {
  return db<MediaRow[]>`
    select ${columns(db)} from media
    where not upload_removed and created_at < ${before}
      and (confirmed_at is null or confirmed_at < ${before})
    order by created_at
    limit ${limit}`;
}

/** Closes what is stale: forgets it where it was never confirmed, and it has failed if not ready. */
export async function closeStale(db: Db, id: string): Promise<void> {
  await db`delete from media where id = ${id} and status = 'pending'`;
  await markFailed(db, id);
  await db`update media set upload_removed = true where id = ${id}`;
}

export async function mediaOf(db: Db, userId: string): Promise<MediaRow[]> {
  return db<MediaRow[]>`
    select ${columns(db)} from media where user_id = ${userId} order by id`;
}

/** Takes the uploader off pictures that stay. */
export async function forgetUploader(tx: Tx, ids: string[]): Promise<void> {
  await tx`update media set user_id = null where id = any(${ids})`;
}

export async function deleteMedia(tx: Tx, ids: string[]): Promise<void> {
  await tx`delete from media where id = any(${ids})`;
}

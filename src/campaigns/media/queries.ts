import type { Db, Tx } from '../../platform/db.ts';
import type { Size, Variant } from './pictures.ts';
import type { EntityType, FailureCode, mediaStatuses, PictureType } from './schema.ts';

export interface MediaRow {
  id: string;
  user_id: string | null;
  entity_type: EntityType;
  record_id: string | null;
  /** What it shows, in words. */
  image_alt: string | null;
  token: string;
  content_type: PictureType;
  status: (typeof mediaStatuses)[number];
  refusal: string | null;
  /** Why it failed after it was accepted. */
  failure: FailureCode | null;
  variants: { size: Size; width: number; height: number }[];
  created_at: Date;
}

const columns = (db: Db) => db`
  id, user_id, entity_type, record_id, image_alt, token, content_type, status, refusal, failure,
  variants, created_at`;

export type NewMedia = Pick<MediaRow, 'id' | 'entity_type' | 'token' | 'content_type'> & {
  user_id: string;
};

export async function insertMedia(db: Db, media: NewMedia): Promise<MediaRow> {
  return db.one<MediaRow>`insert into media ${db(media)} returning ${columns(db)}`;
}

export async function findMedia(db: Db, id: string): Promise<MediaRow | undefined> {
  return db.first<MediaRow>`select ${columns(db)} from media where id = ${id}`;
}

export async function findReadyByTokens(db: Db, tokens: string[]): Promise<MediaRow[]> {
  return db<MediaRow[]>`
    select ${columns(db)} from media where token = any(${tokens}) and status = 'ready'`;
}

/** Accepts a pending upload for the record, if any. Returns undefined if it is no longer pending. */
export async function markUploaded(
  tx: Tx,
  id: string,
  { recordId, imageAlt }: { recordId: string | null; imageAlt: string | null },
): Promise<MediaRow | undefined> {
  return tx.first<MediaRow>`
    update media set status = 'uploaded', record_id = ${recordId}, image_alt = ${imageAlt},
      confirmed_at = clock_timestamp()
    where id = ${id} and status = 'pending'
    returning ${columns(tx)}`;
}

/** Rejects a pending upload, permanently. Returns false if it is no longer pending. */
export async function markRefused(db: Db, id: string, refusal: string): Promise<boolean> {
  return db.changed`
    update media set status = 'failed', refusal = ${refusal}
    where id = ${id} and status = 'pending'`;
}

/** Marks an upload as processing. Returns undefined if there is nothing to process. */
export async function beginProcessing(db: Db, id: string): Promise<MediaRow | undefined> {
  return db.first<MediaRow>`
    update media set status = 'processing'
    where id = ${id} and status in ('uploaded', 'processing')
    returning ${columns(db)}`;
}

/** Marks media as ready if it is still processing. */
export async function markReady(db: Db, id: string, variants: Variant[]): Promise<void> {
  const sizes = variants.map(({ size, width, height }) => ({ size, width, height }));
  await db`
    update media set status = 'ready', variants = ${db.json(sizes)}
    where id = ${id} and status = 'processing'`;
}

/** Returns false if the media is ready, failed or deleted already. */
export async function markFailed(
  db: Db,
  id: string,
  failure: FailureCode = 'damaged',
): Promise<boolean> {
  return db.changed`
    update media set status = 'failed', failure = ${failure}
    where id = ${id} and status in ('uploaded', 'processing')`;
}

/** Counts that decoding took too long. Returns how often it did. */
export async function countSlowDecoding(db: Db, id: string): Promise<number> {
  return db.value<number>`
    update media set slow_decodings = slow_decodings + 1 where id = ${id} returning slow_decodings`;
}

/**
 * Whether this image must not be set on its record: another worker has processed it, or an image of the
 * same record was confirmed later.
 */
export async function isSuperseded(db: Db, id: string): Promise<boolean> {
  const row = await db.first`
    select status <> 'processing' or exists (
      select from media later
      where later.record_id = media.record_id and later.entity_type = media.entity_type
        and later.confirmed_at > media.confirmed_at
        and later.status in ('uploaded', 'processing', 'ready')
    ) as superseded
    from media where id = ${id}`;
  return row?.superseded ?? true;
}

/** Returns media that were created and confirmed before that time, whose uploaded file may still exist. */
export async function findStaleUploads(db: Db, before: Date, limit: number): Promise<MediaRow[]> {
  return db<MediaRow[]>`
    select ${columns(db)} from media
    where not upload_removed and created_at < ${before}
      and (confirmed_at is null or confirmed_at < ${before})
    order by created_at
    limit ${limit}`;
}

/** Deletes media that was never confirmed, and fails media that is not ready. */
export async function closeStaleUpload(db: Db, id: string): Promise<void> {
  await db`delete from media where id = ${id} and status = 'pending'`;
  await markFailed(db, id);
  await db`update media set upload_removed = true where id = ${id}`;
}

export async function findMediaOfUser(db: Db, userId: string): Promise<MediaRow[]> {
  return db<MediaRow[]>`
    select ${columns(db)} from media where user_id = ${userId} order by id`;
}

export async function clearUploader(tx: Tx, ids: string[]): Promise<void> {
  await tx`update media set user_id = null where id = any(${ids})`;
}

export async function deleteMedia(tx: Tx, ids: string[]): Promise<void> {
  await tx`delete from media where id = any(${ids})`;
}

const pageSize = 1000;

/** Reads all media that are ready. */
export const eachReady = (db: Db): AsyncGenerator<MediaRow> => eachOf(db, ['ready']);

/** Reads all media whose upload waits to be processed. */
export const eachWaiting = (db: Db): AsyncGenerator<MediaRow> =>
  eachOf(db, ['uploaded', 'processing']);

async function* eachOf(db: Db, statuses: MediaRow['status'][]): AsyncGenerator<MediaRow> {
  let after: string | null = null;
  for (;;) {
    const rows: MediaRow[] = await db<MediaRow[]>`
      select ${columns(db)} from media
      where status = any(${statuses}) and (${after}::uuid is null or id > ${after})
      order by id limit ${pageSize}`;
    yield* rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.id;
  }
}

import { readBlob } from '../../platform/blobs.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';
import { retentionMs } from '../../platform/retention.ts';
import { maxBytes, type FailureCode } from './schema.ts';
import { uploadKey, variantKey, variantName, variantUrl, type PictureOwners } from './media.ts';
import {
  inspectImage,
  makeVariants,
  sizes,
  SlowImageError,
  UnusableImageError,
  type Variant,
} from './pictures.ts';
import * as queries from './queries.ts';
import type { MediaRow } from './queries.ts';

/**
 * Makes and stores the variants of an upload, and sets the image of its record. Safe to repeat after any
 * interruption and to run twice at once: a worker without heartbeat counts as dead, but may go on.
 */
export async function processMedia(
  ctx: Context,
  pictureOwners: PictureOwners,
  id: string,
): Promise<void> {
  const media = await queries.beginProcessing(ctx.db, id);
  if (!media) return;
  const variants = await variantsOf(ctx, media);
  if (typeof variants === 'string') {
    ctx.log.info({ media: id, failure: variants }, 'could not process an image');
    // If `markFailed` returns false, another worker has made the media ready, and its files are in use.
    if (await queries.markFailed(ctx.db, id, variants)) await removeFiles(ctx, media.token);
    return;
  }
  for (const { size, bytes } of variants) {
    await ctx.blobs.put(variantKey(variantName(media.token, size)), bytes, 'image/webp');
  }
  await show(ctx, pictureOwners, media, variants);
  await queries.markReady(ctx.db, id, variants);
  const current = await queries.findMedia(ctx.db, id);
  if (current?.status === 'ready') await ctx.blobs.delete(uploadKey(media.token));
  // The media was deleted with its uploader, or failed, in the meantime.
  else await removeFiles(ctx, media.token);
}

/** How often decoding may take too long. The machine may have been busy. */
const maxSlowDecodings = 4;

/** Returns why there are none if the upload cannot be used. Inspects it again, since it can be replaced until now. */
async function variantsOf(ctx: Context, media: MediaRow): Promise<Variant[] | FailureCode> {
  const bytes = await readBlob(ctx.blobs, uploadKey(media.token), maxBytes);
  if (!bytes || bytes === 'too-large') return 'unacceptable';
  try {
    if ((await inspectImage(bytes)) !== media.content_type) return 'unacceptable';
    return await makeVariants(bytes);
  } catch (error) {
    if (error instanceof UnusableImageError) return error.code;
    if (!(error instanceof SlowImageError)) throw error;
    if ((await queries.countSlowDecoding(ctx.db, media.id)) >= maxSlowDecodings) return 'too_slow';
    throw error;
  }
}

/**
 * Sets the largest variant as the image of the record, if any. Runs before the media is ready, so that
 * clients who see it ready see the image too, and in its own transaction, since the lock order of records
 * does not include media.
 */
async function show(
  ctx: Context,
  pictureOwners: PictureOwners,
  { id, entity_type, record_id, token, image_alt: alt, user_id: userId }: MediaRow,
  variants: Variant[],
): Promise<void> {
  const owner = pictureOwners[entity_type];
  if (!record_id || (await queries.isSuperseded(ctx.db, id))) return;
  const url = variantUrl(ctx, token, variants.at(-1)!.size);
  await transaction(ctx.db, (tx) => owner.setImage(tx, record_id, { url, alt, userId }));
  owner.onChanged?.(ctx, record_id);
}

/** Deletes all files of this token. */
export async function removeFiles(ctx: Context, token: string): Promise<void> {
  const names = sizes.map((size) => variantKey(variantName(token, size)));
  for (const key of [uploadKey(token), ...names]) await ctx.blobs.delete(key);
}

/** After this time, unconfirmed uploads are deleted, and unprocessed ones fail. */
const staleAfterMs = retentionMs('uploads');
const sweepBatchSize = 200;

/**
 * Deletes uploaded files a day after their start: those that were never confirmed, and those that were sent
 * again after processing, while their URL was still valid.
 */
export async function sweepUploads(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - staleAfterMs);
  let stale: MediaRow[];
  do {
    stale = await queries.findStaleUploads(ctx.db, before, sweepBatchSize);
    for (const { id, token } of stale) {
      await ctx.blobs.delete(uploadKey(token));
      await queries.closeStaleUpload(ctx.db, id);
    }
  } while (stale.length === sweepBatchSize);
  await ctx.blobs.removeAbandoned();
}

/**
 * Deletes a user's media except those that a record still shows, which lose their uploader. Call it after
 * the records were erased.
 */
export async function eraseMedia(
  ctx: Context,
  pictureOwners: PictureOwners,
  tx: Tx,
  userId: string,
): Promise<void> {
  const own = await queries.findMediaOfUser(tx, userId);
  const urlsOf = ({ token, variants }: MediaRow) =>
    variants.map(({ size }) => variantUrl(ctx, token, size));
  const urls = own.flatMap(urlsOf);
  const shown = new Set<string>();
  for (const owner of Object.values(pictureOwners)) {
    for (const url of await owner.filterShown(tx, urls, userId)) shown.add(url);
  }
  const isShown = (media: MediaRow) => urlsOf(media).some((url) => shown.has(url));
  const unused = own.filter((media) => !isShown(media));
  await queries.clearUploader(tx, own.filter(isShown).map(idOf));
  await queries.deleteMedia(tx, unused.map(idOf));
  for (const { token } of unused) await addJob(tx, 'remove-media-files', { token });
}

const idOf = ({ id }: MediaRow) => id;

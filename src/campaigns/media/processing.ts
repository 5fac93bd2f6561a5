import { readBlob } from '../../platform/blobs.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { addJob } from '../../platform/jobs.ts';
import { maxBytes } from './schema.ts';
import { uploadKey, variantKey, variantName, variantUrl, type ImageHolders } from './media.ts';
import { inspect, makeVariants, sizes, UnusablePicture, type Variant } from './pictures.ts';
import * as queries from './queries.ts';
import type { MediaRow } from './queries.ts';

/**
 * Turns an upload into what is shown, and shows it. May be done again after any interruption, and by two
 * at once: a worker that was silent for too long is taken for dead, though it may go on.
 */
export async function processMedia(ctx: Context, holders: ImageHolders, id: string): Promise<void> {
  const media = await queries.beginProcessing(ctx.db, id);
  if (!media) return;
  const variants = await variantsOf(ctx, media);
  if (!variants) {
    ctx.log.info({ media: id }, 'a picture could not be processed');
    // Where it did not fail here, another has made it ready: then its upload is gone, and its files are shown.
    if (await queries.markFailed(ctx.db, id)) await removeFiles(ctx, media.token);
    return;
  }
  for (const { size, bytes } of variants) {
    await ctx.blobs.put(variantKey(variantName(media.token, size)), bytes, 'image/webp');
  }
  await show(ctx, holders, media, variants);
  await queries.markReady(ctx.db, id, variants);
  const now = await queries.findMedia(ctx.db, id);
  if (now?.status === 'ready') await ctx.blobs.delete(uploadKey(media.token));
  // Removed meanwhile, with its uploader, or given up: the files that were just written go too.
  else await removeFiles(ctx, media.token);
}

/** Undefined where the upload is no picture. It is looked at again: it can be sent again until now. */
async function variantsOf(ctx: Context, media: MediaRow): Promise<Variant[] | undefined> {
  const bytes = await readBlob(ctx.blobs, uploadKey(media.token), maxBytes);
  if (!bytes || bytes === 'too-large') return undefined;
  try {
    if ((await inspect(bytes)) !== media.content_type) return undefined;
    return await makeVariants(bytes);
  } catch (error) {
    if (error instanceof UnusablePicture) return undefined;
    throw error;
  }
}

/**
 * Makes the largest variant the image of the record, if one was named. Before the media is ready, so
 * that who sees it ready sees the image too; and apart, since records are locked in an order in which
 * media have no place.
 */
async function show(
  ctx: Context,
  holders: ImageHolders,
  { id, entity_type, record_id, token }: MediaRow,
  variants: Variant[],
): Promise<void> {
  const holder = holders[entity_type];
  if (!record_id || (await queries.isSuperseded(ctx.db, id))) return;
  const url = variantUrl(ctx, token, variants.at(-1)!.size);
  await transaction(ctx.db, (tx) => holder.setImage(tx, record_id, url));
  holder.changed?.(ctx, record_id);
}

/** Removes every file that there may be under this token. */
export async function removeFiles(ctx: Context, token: string): Promise<void> {
  const names = sizes.map((size) => variantKey(variantName(token, size)));
  for (const key of [uploadKey(token), ...names]) await ctx.blobs.delete(key);
}

/** How long an upload is kept that nobody confirms, and tried that cannot be processed. */
const staleAfter = 24 * 3600 * 1000;
const sweepBatch = 200;

/**
 * Once a day has passed since it was begun, removes what is left of each upload: files that were never
 * confirmed, or that were sent once more after processing, while their address was still good.
 */
export async function sweepUploads(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - staleAfter);
  let stale: MediaRow[];
  do {
    stale = await queries.staleUploads(ctx.db, before, sweepBatch);
    for (const { id, token } of stale) {
      await ctx.blobs.delete(uploadKey(token));
      await queries.closeStale(ctx.db, id);
    }
  } while (stale.length === sweepBatch);
  await ctx.blobs.tidy();
}

/**
 * Keeps pictures that something still shows, without their uploader; the rest goes. Comes after the
 * records were erased.
 */
export async function eraseMedia(
  ctx: Context,
  holders: ImageHolders,
  tx: Tx,
  userId: string,
): Promise<void> {
  const own = await queries.mediaOf(tx, userId);
  const urlsOf = ({ token, variants }: MediaRow) =>
    variants.map(({ size }) => variantUrl(ctx, token, size));
  const urls = own.flatMap(urlsOf);
  const shown = new Set<string>();
  for (const holder of Object.values(holders)) {
    for (const url of await holder.shown(tx, urls)) shown.add(url);
  }
  const stays = (media: MediaRow) => urlsOf(media).some((url) => shown.has(url));
  const gone = own.filter((media) => !stays(media));
  await queries.forgetUploader(tx, own.filter(stays).map(idOf));
  await queries.deleteMedia(tx, gone.map(idOf));
  for (const { token } of gone) await addJob(tx, 'remove-media-files', { token });
}

const idOf = ({ id }: MediaRow) => id;

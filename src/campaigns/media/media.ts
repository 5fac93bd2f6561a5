import type { Quota } from '../../platform/limits.ts';
import { randomBytes } from 'node:crypto';
import { readBlob } from '../../platform/blobs.ts';
import type { Context } from '../../platform/context.ts';
import type { MailPicture } from '../../platform/mail-layout.ts';
import { transaction, type Db } from '../../platform/db.ts';
import type { FormFile } from '../../platform/http/bodies.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { PictureOwner } from '../../platform/images.ts';
import { addJob } from '../../platform/jobs.ts';
import { conflict, invalidValue, notFound, Problem } from '../../platform/problems.ts';
import {
  inspectImage,
  makeVariants,
  sizes,
  SlowImageError,
  UnusableImageError,
  type Size,
} from './pictures.ts';
import { eachReadyCopy, findReadyCopies } from './copy-queries.ts';
import * as queries from './queries.ts';
import type { MediaRow } from './queries.ts';
import {
  failureMessages,
  maxBytes,
  pictureTypes,
  type ConfirmInput,
  type EntityType,
  type Media,
  type PictureType,
  type UploadAddress,
  type UploadForm,
  type UploadRequest,
} from './schema.ts';

const uploadQuota: Quota = { name: 'upload', points: 100, durationSeconds: 86_400 };

export type { Media } from './schema.ts';

/** The owner of each kind of image. */
export type PictureOwners = Record<EntityType, PictureOwner>;

/** How long an upload URL is valid. */
const uploadSeconds = 900;

/** Storage key of an uploaded file before processing. It is never served. */
export const uploadKey = (token: string) => `uploads/${token}`;
export const variantName = (token: string, size: Size) => `${token}-${size}.webp`;
/** Storage key of a variant. */
export const variantKey = (name: string) => `images/${name}`;

export const variantUrl = (ctx: Context, token: string, size: Size) =>
  `${ctx.config.baseUrl}/media/${variantName(token, size)}`;

export const present = (ctx: Context, row: MediaRow): Media => ({
  id: row.id,
  entity_type: row.entity_type,
  status: row.status,
  variants: presentVariants(ctx, row),
  failure: failureOf(row),
  created_at: row.created_at,
});

function failureOf({ status, failure, refusal }: MediaRow): Media['failure'] {
  if (status !== 'failed') return null;
  if (failure) return { code: failure, message: failureMessages[failure] };
  const message = refusal && refusal !== 'too-large' ? refusal : failureMessages.unacceptable;
  return { code: 'unacceptable', message };
}

const presentVariants = (
  ctx: Context,
  { token, variants }: Pick<MediaRow, 'token' | 'variants'>,
): Media['variants'] =>
  variants.map(({ size, width, height }) => ({
    width,
    height,
    url: variantUrl(ctx, token, size),
  }));

/** Returns a URL to which the caller can send an image. */
export async function requestUpload(
  ctx: Context,
  caller: Caller,
  input: UploadRequest,
): Promise<UploadAddress> {
  const { id, token } = await startUpload(ctx, caller, input.entity_type, input.content_type);
  const upload_url = await ctx.blobs.uploadAddress(uploadKey(token), {
    type: input.content_type,
    maxBytes,
    seconds: uploadSeconds,
  });
  return {
    media_id: id,
    upload_url,
    expires_at: new Date(ctx.now().getTime() + uploadSeconds * 1000),
    max_size_bytes: maxBytes,
  };
}

/**
 * Inserts the row before there is a file, so that no file lacks a row. Uses its own connection, since the
 * transaction of an idempotent request commits after the file was stored.
 */
async function startUpload(
  ctx: Context,
  caller: Caller,
  entityType: EntityType,
  contentType: PictureType,
): Promise<MediaRow> {
  await ctx.limits.take(uploadQuota, caller.userId, 'Too many uploads in a day.');
  return queries.insertMedia(ctx.pools.main, {
    id: newId(),
    user_id: caller.userId,
    entity_type: entityType,
    token: randomBytes(16).toString('hex'),
    content_type: contentType,
  });
}

/** @throws {Problem} not-found, also for media of others */
export async function requireOwnMedia(ctx: Context, caller: Caller, id: string): Promise<MediaRow> {
  const row = await queries.findMedia(ctx.db, id);
  if (row?.user_id !== caller.userId) throw notFound('media');
  return row;
}

/**
 * Inspects an uploaded file and adds a job that processes it. Repeated calls get the same answer.
 * @throws {Problem} not-found, validation-failed, payload-too-large, conflict, or as `recordFor`
 */
export async function confirmUpload(
  ctx: Context,
  pictureOwners: PictureOwners,
  caller: Caller,
  input: ConfirmInput,
): Promise<Media> {
  const row = await requireOwnMedia(ctx, caller, input.media_id);
  if (row.refusal) throw rejection(row.refusal, 'media_id');
  if (row.status !== 'pending') return confirmedBefore(ctx, row, input.entity_id);
  const recordId = await pictureOwners[row.entity_type].recordFor(ctx, caller, input.entity_id);
  const bytes = await readBlob(ctx.blobs, uploadKey(row.token), maxBytes);
  if (!bytes) throw new Problem('not-found', 'Nothing was uploaded yet. Send the file first.');
  const reason = await rejectionReason(bytes, row.content_type);
  // Uses its own connection, since a failed idempotent request rolls back. Does nothing if the file was sent
  // again and another call has accepted it.
  if (reason && (await queries.markRefused(ctx.pools.main, row.id, reason))) {
    await ctx.blobs.delete(uploadKey(row.token));
    throw rejection(reason, 'media_id');
  }
  return accept(ctx, row, { recordId, imageAlt: input.image_alt });
}

function confirmedBefore(ctx: Context, row: MediaRow, entityId: string | undefined): Media {
  const isSameRecord = entityId === undefined || entityId.toLowerCase() === row.record_id;
  if (isSameRecord) return present(ctx, row);
  throw conflict(
    'already_confirmed',
    'This upload was confirmed for something else, or for nothing. Upload the picture again for this.',
  );
}

/** Stores an image from a form and adds a job that processes it. */
export async function uploadMedia(
  ctx: Context,
  pictureOwners: PictureOwners,
  caller: Caller,
  { file, entity_type: entityType, entity_id: entityId, image_alt: imageAlt }: UploadForm,
): Promise<Media> {
  const recordId = await pictureOwners[entityType].recordFor(ctx, caller, entityId);
  const bytes = await file.bytes();
  const type = await typeOf(file, bytes);
  const row = await startUpload(ctx, caller, entityType, type);
  await ctx.blobs.put(uploadKey(row.token), bytes, type);
  return accept(ctx, row, { recordId, imageAlt });
}

/** Returns the type of a file in a form, which may declare none. */
async function typeOf(file: FormFile, bytes: Buffer): Promise<PictureType> {
  const declared = pictureTypes.find((one) => one === file.type);
  const isUndeclared = file.type === 'application/octet-stream';
  if (!declared && !isUndeclared)
    throw rejection(`A file may be ${pictureTypes.join(', ')}.`, 'file');
  try {
    const type = await inspectImage(bytes);
    if (isUndeclared || type === declared) return type;
    throw rejection(typeMismatch(type), 'file');
  } catch (error) {
    throw error instanceof UnusableImageError ? rejection(error.message, 'file') : error;
  }
}

/** Returns why the upload is rejected, 'too-large' or a message; undefined if it is accepted. */
async function rejectionReason(
  bytes: Buffer | 'too-large',
  declared: PictureType,
): Promise<string | undefined> {
  if (bytes === 'too-large') return bytes;
  try {
    const type = await inspectImage(bytes);
    return type === declared ? undefined : typeMismatch(type);
  } catch (error) {
    if (error instanceof UnusableImageError) return error.message;
    throw error;
  }
}

/** Width of a decoded picture, at most. */
const decodedWidth = 640;

/**
 * Returns a picture as WebP. Decoded as uploads are: in a process of its own, with a deadline.
 * @throws {Problem} validation-failed with this field
 */
export async function decodePicture(bytes: Buffer, field: string): Promise<Buffer> {
  try {
    await inspectImage(bytes);
    const variants = await makeVariants(bytes);
    return variants.findLast(({ size }) => size <= decodedWidth)!.bytes;
  } catch (error) {
    if (error instanceof UnusableImageError || error instanceof SlowImageError) {
      throw rejection(error.message, field);
    }
    throw error;
  }
}

const typeMismatch = (type: PictureType) =>
  `By its bytes the file is ${type}, which was not declared.`;

function rejection(reason: string, field: string): Problem {
  if (reason !== 'too-large') {
    return invalidValue(field, reason);
  }
  return new Problem('payload-too-large', `A file may have ${maxBytes} bytes.`);
}

/** Adds a job that processes an upload, unless a concurrent call has done so. */
async function accept(
  ctx: Context,
  { id, user_id }: MediaRow,
  { recordId, imageAlt }: { recordId: string | undefined; imageAlt: string | undefined },
): Promise<Media> {
  return transaction(ctx.db, async (tx) => {
    const accepted = await queries.markUploaded(tx, id, {
      recordId: recordId ?? null,
      imageAlt: imageAlt?.trim() || null,
    });
    if (accepted) {
      const queue = queueFor(recordId ?? user_id ?? id);
      await addJob(tx, 'process-media', { media_id: id }, { queue, maxAttempts });
    }
    const current = accepted ?? (await queries.findMedia(tx, id));
    if (!current) throw notFound('media');
    if (current.refusal) throw rejection(current.refusal, 'media_id');
    return present(ctx, current);
  });
}

/** The last attempt is more than an hour after the first. */
const maxAttempts = 8;

/**
 * Limits the service to two images at a time, which leaves memory and workers for other jobs. Images of
 * one record are processed one after the other.
 */
const queueFor = (id: string) => `media-${Number.parseInt(id.at(-1)!, 16) % 2}`;

const variantNamePattern = /^([0-9a-f]{32})-(\d{3,4})\.webp$/;

/** Whether the URL is one of pictures of this service. */
export const isOwnAddress = ({ config }: Pick<Context, 'config'>, url: string): boolean =>
  url.startsWith(`${config.baseUrl}/media/`);

/** The name of the variant at this URL; undefined for URLs of other sites. */
function variantNameAt({ config }: Context, url: string): string | undefined {
  const base = `${config.baseUrl}/media/`;
  const name = url.startsWith(base) ? url.slice(base.length) : '';
  return variantNamePattern.test(name) ? name : undefined;
}

/** A variant is at most 1280 pixels wide, and 10 times as high. */
const maxVariantBytes = 10_000_000;

/** Returns the file of a variant by its URL; undefined if there is none, 'elsewhere' for URLs of other sites. */
export async function readPicture(
  ctx: Context,
  url: string,
): Promise<Buffer | 'elsewhere' | undefined> {
  const name = variantNameAt(ctx, url);
  if (name === undefined) return 'elsewhere';
  const bytes = await readBlob(ctx.blobs, variantKey(name), maxVariantBytes);
  return bytes === 'too-large' ? undefined : bytes;
}

/**
 * Returns the variants up to the one at this URL, smallest first; none for URLs of other sites. Each is named by the
 * width that it has at most.
 */
export function sizesAt(ctx: Context, url: string): { width: Size; url: string }[] {
  const name = variantNameAt(ctx, url);
  if (name === undefined) return [];
  const [, token, size] = variantNamePattern.exec(name)!;
  return sizes
    .filter((one) => one <= Number(size))
    .map((one) => ({ width: one, url: variantUrl(ctx, token!, one) }));
}

/** Returns the width and height of those of these images that were uploaded here, by their URLs. */
export async function dimensionsAt(
  ctx: Context,
  urls: readonly string[],
): Promise<Map<string, { width: number; height: number }>> {
  const tokens = urls.flatMap((url) => variantNameAt(ctx, url)?.split('-', 1) ?? []);
  const rows = tokens.length > 0 ? await queries.findReadyByTokens(ctx.db, tokens) : [];
  const variants = rows.flatMap((row) => present(ctx, row).variants);
  return new Map(variants.map(({ url, width, height }) => [url, { width, height }]));
}

/** Returns the copies of pictures of other hosts that are ready, by their addresses: their variants, smallest first. */
export async function copiesAt(
  ctx: Context,
  urls: string[],
): Promise<Map<string, Media['variants']>> {
  const copies = await findReadyCopies(ctx.db, urls);
  return new Map(copies.map((copy) => [copy.url, presentVariants(ctx, copy)]));
}

/** Returns the address of a picture as pages show it: of the copy if another host has it, null until that is ready. */
export async function shownAddress(ctx: Context, url: string | null): Promise<string | null> {
  if (url === null || isOwnAddress(ctx, url)) return url;
  const load = async () => (await copiesAt(ctx, [url])).get(url)?.at(-1)?.url ?? null;
  return ctx.cache.read('picture-copies', url, load);
}

/** Returns the variants of an image, smallest first, by the URL of one; those of the copy for URLs of other hosts. */
export async function variantsAt(ctx: Context, url: string): Promise<Media['variants']> {
  if (!isOwnAddress(ctx, url)) return (await copiesAt(ctx, [url])).get(url) ?? [];
  const token = variantNameAt(ctx, url)?.split('-', 1)[0];
  const [row] = token ? await queries.findReadyByTokens(ctx.db, [token]) : [];
  return row ? present(ctx, row).variants : [];
}

/** Twice the width would be sharper on phones, and four times the bytes. */
const mailWidth = 640;

/** Returns a picture as mails show it: a copy of ours, small enough; undefined if there is none. */
export async function mailPicture(
  ctx: Context,
  url: string | null,
  alt: string | null,
): Promise<MailPicture | undefined> {
  if (url === null) return undefined;
  const variants = await variantsAt(ctx, url);
  const variant = variants.findLast(({ width }) => width <= mailWidth) ?? variants[0];
  return variant && { url: variant.url, alt: alt ?? '' };
}

/** Lists the keys of uploads that wait to be processed. One that is processed meanwhile is gone. */
export async function* storedUploads(db: Db): AsyncGenerator<string> {
  for await (const { token } of queries.eachWaiting(db)) yield uploadKey(token);
}

/** Lists the keys of the pictures that the database names. */
export async function* storedPictures(db: Db): AsyncGenerator<string> {
  const variantsOf = ({ token, variants }: Pick<MediaRow, 'token' | 'variants'>): string[] =>
    variants.map(({ size }) => variantKey(variantName(token, size)));
  for await (const row of queries.eachReady(db)) yield* variantsOf(row);
  for await (const copy of eachReadyCopy(db)) yield* variantsOf(copy);
}

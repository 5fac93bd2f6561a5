import { randomBytes } from 'node:crypto';
import { readBlob } from '../../platform/blobs.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { FormFile } from '../../platform/http/bodies.ts';
import type { Caller } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { ImageHolder } from '../../platform/images.ts';
import { addJob } from '../../platform/jobs.ts';
import { conflict, invalidValue, notFound, Problem } from '../../platform/problems.ts';
import { inspect, UnusablePicture, type Size } from './pictures.ts';
import * as queries from './queries.ts';
import type { MediaRow } from './queries.ts';
import {
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

/** Who shows the pictures of each kind. */
export type ImageHolders = Record<EntityType, ImageHolder>;

/** How long an upload address is good for. */
const uploadSeconds = 900;

/** Where a file waits, as it was sent, until it is processed. It is never served. */
export const uploadKey = (token: string) => `uploads/${token}`;
export const variantName = (token: string, size: Size) => `${token}-${size}.webp`;
/** Where a served file is. */
export const variantKey = (name: string) => `images/${name}`;

export const variantUrl = (ctx: Context, token: string, size: Size) =>
  `${ctx.config.baseUrl}/media/${variantName(token, size)}`;

export const present = (ctx: Context, row: MediaRow): Media => ({
  id: row.id,
  entity_type: row.entity_type,
  status: row.status,
  variants: row.variants.map(({ size, width, height }) => ({
    width,
    height,
    url: variantUrl(ctx, row.token, size),
  })),
  created_at: row.created_at,
});

/** Gives an address to which the caller can send a picture. */
export async function requestUpload(
  ctx: Context,
  caller: Caller,
  input: UploadRequest,
): Promise<UploadAddress> {
  const { id, token } = await begin(ctx, caller, input.entity_type, input.content_type);
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
 * Notes an upload before there is a file, so that none is ever stored that the service does not know of.
 * That is why it does not wait for an idempotent request to commit.
 */
async function begin(
  ctx: Context,
  caller: Caller,
  entityType: EntityType,
  contentType: PictureType,
): Promise<MediaRow> {
  await ctx.limits.take('upload', caller.userId, 'Too many uploads in a day.');
  return queries.insertMedia(ctx.pools.main, {
    id: newId(),
    user_id: caller.userId,
    entity_type: entityType,
    token: randomBytes(16).toString('hex'),
    content_type: contentType,
  });
}

/** @throws {Problem} not-found where it is another's */
export async function ownMedia(ctx: Context, caller: Caller, id: string): Promise<MediaRow> {
  const row = await queries.findMedia(ctx.db, id);
  if (row?.user_id !== caller.userId) throw notFound('media');
  return row;
}

/**
 * Takes an upload that has arrived: looks at it, and has it processed. What was confirmed or refused
 * before is answered in the same way.
 */
export async function confirmUpload(
  ctx: Context,
  holders: ImageHolders,
  caller: Caller,
  input: ConfirmInput,
): Promise<Media> {
  const row = await ownMedia(ctx, caller, input.media_id);
  if (row.refusal) throw refusal(row.refusal, 'media_id');
  if (row.status !== 'pending') return confirmedBefore(ctx, row, input.entity_id);
  const recordId = await holders[row.entity_type].recordFor(ctx, caller, input.entity_id);
  const bytes = await readBlob(ctx.blobs, uploadKey(row.token), maxBytes);
  if (!bytes) throw new Problem('not-found', 'Nothing was uploaded yet. Send the file first.');
  const reason = await reasonToRefuse(bytes, row.content_type);
  // By itself, since an idempotent request that fails leaves nothing else behind. What another call took
  // meanwhile, since it was sent once more, is left to be processed.
  if (reason && (await queries.markRefused(ctx.pools.main, row.id, reason))) {
    await ctx.blobs.delete(uploadKey(row.token));
    throw refusal(reason, 'media_id');
  }
  return accept(ctx, row, recordId);
}

function confirmedBefore(ctx: Context, row: MediaRow, entityId: string | undefined): Media {
  const other = entityId !== undefined && entityId.toLowerCase() !== row.record_id;
  if (!other) return present(ctx, row);
  throw conflict(
    'already_confirmed',
    'This upload was confirmed for something else, or for nothing. Upload the picture again for this.',
  );
}

/** Takes a picture that came with the request. */
export async function uploadMedia(
  ctx: Context,
  holders: ImageHolders,
  caller: Caller,
  { file, entity_type: entityType, entity_id: entityId }: UploadForm,
): Promise<Media> {
  const recordId = await holders[entityType].recordFor(ctx, caller, entityId);
  const bytes = await file.bytes();
  const type = await typeOf(file, bytes);
  const row = await begin(ctx, caller, entityType, type);
  await ctx.blobs.put(uploadKey(row.token), bytes, type);
  return accept(ctx, row, recordId);
}

/** The type of a file in a form, which may leave it open. */
async function typeOf(file: FormFile, bytes: Buffer): Promise<PictureType> {
  const declared = pictureTypes.find((one) => one === file.type);
  const open = file.type === 'application/octet-stream';
  if (!declared && !open) throw refusal(`A file may be ${pictureTypes.join(', ')}.`, 'file');
  try {
    const type = await inspect(bytes);
    if (open || type === declared) return type;
    throw refusal(otherType(type), 'file');
  } catch (error) {
    throw error instanceof UnusablePicture ? refusal(error.message, 'file') : error;
  }
}

/** Why the upload is refused, if it is: 'too-large', or what to tell. */
async function reasonToRefuse(
  bytes: Buffer | 'too-large',
  declared: PictureType,
): Promise<string | undefined> {
  if (bytes === 'too-large') return bytes;
  try {
    const type = await inspect(bytes);
    return type === declared ? undefined : otherType(type);
  } catch (error) {
    if (error instanceof UnusablePicture) return error.message;
    throw error;
  }
}

const otherType = (type: PictureType) =>
  `By its bytes the file is ${type}, which was not declared.`;

function refusal(reason: string, field: string): Problem {
  if (reason !== 'too-large') {
    return invalidValue(field, reason);
  }
  return new Problem('payload-too-large', `A file may have ${maxBytes} bytes.`);
}

/** Has an upload processed. Where it was accepted meanwhile, by a call at the same time, that counts. */
async function accept(
  ctx: Context,
  { id, user_id }: MediaRow,
  recordId: string | undefined,
): Promise<Media> {
  return transaction(ctx.db, async (tx) => {
    const accepted = await queries.markUploaded(tx, id, recordId ?? null);
    if (accepted) {
      const queue = queueFor(recordId ?? user_id ?? id);
      await addJob(tx, 'process-media', { media_id: id }, { queue, maxAttempts });
    }
    const now = accepted ?? (await queries.findMedia(tx, id));
    if (!now) throw notFound('media');
    if (now.refusal) throw refusal(now.refusal, 'media_id');
    return present(ctx, now);
  });
}

/** The last try is more than an hour after the first. */
const maxAttempts = 8;

/**
 * Two pictures are processed at once, in the whole service, so that they leave memory and places for
 * other jobs; those of one record one after the other.
 */
const queueFor = (id: string) => `media-${Number.parseInt(id.at(-1)!, 16) % 2}`;

/** The sizes in which a picture is there, smallest first, by the address of one of them; none of others'. */
export async function variantsAt(ctx: Context, url: string): Promise<Media['variants']> {
  const base = `${ctx.config.baseUrl}/media/`;
  const token = url.startsWith(base) && /^([0-9a-f]{32})-/.exec(url.slice(base.length))?.[1];
  const row = token ? await queries.findReadyByToken(ctx.db, token) : undefined;
  return row ? present(ctx, row).variants : [];
}

import type { Metadata } from 'sharp';
import { loadSharp } from '../../platform/sharp.ts';
import { pictureTypes, type PictureType } from './schema.ts';

/** Photographs of good cameras have 24 million. Decoding takes 3 bytes per pixel. */
const maxPixels = 40_000_000;
/** Only the first frame is shown; files with more frames are films or attacks. */
const maxFrames = 1_000;
/** Limit of WebP. */
const maxHeight = 16_383;
const maxSeconds = 20;

/** Widths of the variants in pixels, which are part of their names. */
export const sizes = [320, 640, 1280] as const;
export type Size = (typeof sizes)[number];

const quality = 80;

/** Thrown for bytes that are no acceptable image. The message is for users. */
export class UnusableImageError extends Error {
  override name = 'UnusablePicture';
}

/**
 * Returns the type of an image by its header. Takes milliseconds for any size, since it decodes nothing.
 * @throws {UnusableImageError}
 */
export async function inspectImage(bytes: Buffer): Promise<PictureType> {
  const found = await metadataOf(bytes);
  const type = pictureTypes.find((one) => one === found?.mediaType);
  if (!found || !type)
    throw new UnusableImageError('This is no JPEG, PNG, WebP, GIF or AVIF picture.');
  if (found.width * found.height > maxPixels) {
    throw new UnusableImageError(`A picture may have ${maxPixels / 1e6} million pixels.`);
  }
  if ((found.pages ?? 1) > maxFrames) {
    throw new UnusableImageError(`An animated picture may have ${maxFrames} frames.`);
  }
  return type;
}

/** Returns the metadata of an image, or undefined for an unknown format. */
async function metadataOf(bytes: Buffer): Promise<Metadata | undefined> {
  const sharp = await loadSharp();
  try {
    return await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch {
    return undefined;
  }
}

export interface Variant {
  size: Size;
  width: number;
  height: number;
  bytes: Buffer;
}

/**
 * Makes the variants of an inspected image: upright, in sRGB, without metadata, no larger than the
 * original. Uses the first frame of animations.
 * @throws {UnusableImageError} if the image cannot be decoded, for example if it is truncated
 */
export async function makeVariants(bytes: Buffer): Promise<Variant[]> {
  const sharp = await loadSharp();
  try {
    // Decodes once, to the largest size, from which the others are made.
    const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .timeout({ seconds: maxSeconds })
      .autoOrient()
      .resize({ width: sizes.at(-1)!, height: maxHeight, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const variants = [];
    for (const size of sizesFor(width)) {
      const made = await sharp(data, { raw: { width, height, channels } })
        .resize({ width: Math.min(size, width) })
        .webp({ quality })
        .toBuffer({ resolveWithObject: true });
      variants.push({ size, width: made.info.width, height: made.info.height, bytes: made.data });
    }
    return variants;
  } catch (error) {
    throw new UnusableImageError('The picture cannot be decoded.', { cause: error });
  }
}

/** The sizes up to the first one that is as wide as the image. */
const sizesFor = (width: number) =>
  sizes.filter((_, index) => index === 0 || sizes[index - 1]! < width);

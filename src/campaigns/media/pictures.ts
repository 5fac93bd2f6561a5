import type { Metadata } from 'sharp';
import { loadSharp } from '../../platform/sharp.ts';
import { pictureTypes, type PictureType } from './schema.ts';

/** A photograph of a good camera has 24 million; a decoded one takes 3 bytes for each. */
const maxPixels = 40_000_000;
/** Only the first is shown, so what has more is no picture but a film or an attack. */
const maxFrames = 1_000;
/** WebP has no higher pictures. */
const maxHeight = 16_383;
const maxSeconds = 20;

/** Widths of the variants, which stand in their names. */
export const sizes = [320, 640, 1280] as const;
export type Size = (typeof sizes)[number];

const quality = 80;

/** The bytes are no picture that is taken; the message says why. */
export class UnusablePicture extends Error {
  override name = 'UnusablePicture';
}

/**
 * Finds out what a picture is from its bytes, without decoding it: takes milliseconds, whatever it
 * claims to be.
 * @throws {UnusablePicture}
 */
export async function inspect(bytes: Buffer): Promise<PictureType> {
  const found = await metadataOf(bytes);
  const type = pictureTypes.find((one) => one === found?.mediaType);
  if (!found || !type)
    throw new UnusablePicture('This is no JPEG, PNG, WebP, GIF or AVIF picture.');
  if (found.width * found.height > maxPixels) {
    throw new UnusablePicture(`A picture may have ${maxPixels / 1e6} million pixels.`);
  }
  if ((found.pages ?? 1) > maxFrames) {
    throw new UnusablePicture(`An animated picture may have ${maxFrames} frames.`);
  }
  return type;
}

/** What the head of a picture says; undefined where it has none that is known. */
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
 * Makes the variants of a picture that was inspected: upright, in sRGB, and without any metadata. None
 * is larger than the original. Of an animated one, the first frame.
 * @throws {UnusablePicture} where it cannot be decoded, such as a truncated one
 */
export async function makeVariants(bytes: Buffer): Promise<Variant[]> {
  const sharp = await loadSharp();
  try {
    // Decoded once, to the largest; the others are made of that.
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
    throw new UnusablePicture('The picture cannot be decoded.', { cause: error });
  }
}

/** Each size that shows more than the one before. */
const sizesFor = (width: number) =>
  sizes.filter((_, index) => index === 0 || sizes[index - 1]! < width);

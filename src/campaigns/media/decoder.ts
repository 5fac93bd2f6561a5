import { buffer } from 'node:stream/consumers';
import { loadSharp } from '../../platform/sharp.ts';
import { maxPixels, sizes, writeVariants, type Variant } from './pictures.ts';

/** A program: reads a picture from its input, and writes the variants to its output. See `makeVariants`. */

/** Limit of WebP. */
const maxHeight = 16_383;
const quality = 80;

/** The sizes up to the first one that is as wide as the image. */
const sizesFor = (width: number) =>
  sizes.filter((_, index) => index === 0 || sizes[index - 1]! < width);

const sharp = await loadSharp();
// Decodes once, to the largest size, from which the others are made.
const { data, info } = await sharp(await buffer(process.stdin), {
  limitInputPixels: maxPixels,
  failOn: 'error',
})
  .autoOrient()
  .resize({ width: sizes.at(-1)!, height: maxHeight, fit: 'inside', withoutEnlargement: true })
  .toColourspace('srgb')
  .raw()
  .toBuffer({ resolveWithObject: true });
const { width, height, channels } = info;
const variants: Variant[] = [];
for (const size of sizesFor(width)) {
  const made = await sharp(data, { raw: { width, height, channels } })
    .resize({ width: Math.min(size, width) })
    .webp({ quality })
    .toBuffer({ resolveWithObject: true });
  variants.push({ size, width: made.info.width, height: made.info.height, bytes: made.data });
}
process.stdout.write(writeVariants(variants));

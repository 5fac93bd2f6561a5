import type Sharp from 'sharp';

let loading: Promise<typeof Sharp> | undefined;

/** Loads the image library on first use, since it takes 25 MB. */
export function loadSharp(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Images are untrusted: allows only the formats that the service accepts, and one thread for each image.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map(
        (name) => `VipsForeignLoad${name}Buffer`,
      ),
    });
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loading;
}

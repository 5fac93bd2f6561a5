import type Sharp from 'sharp';

let loading: Promise<typeof Sharp> | undefined;

/** The library of pictures, loaded when one is first read or drawn: it takes some 25 MB. */
export function loadSharp(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Pictures come from anybody: of the library's many formats only ours are read, by one thread each.
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

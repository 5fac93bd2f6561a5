import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { gifOf, pngOfZeros } from './pictures.ts';

/** The longest side of a square of 40 megapixels, the largest picture that is accepted. */
const side = 6320;

const square = () =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#888' } });

/** Small files that are costly to decode: as many pixels as are accepted, in formats that pack them well. */
export const costlyPictures = (): Promise<Buffer[]> =>
  Promise.all([
    costlyAvif(),
    square().webp({ lossless: true, effort: 0 }).toBuffer(),
    square().jpeg({ progressive: true, quality: 1 }).toBuffer(),
    pngOfZeros(side, side),
    Promise.resolve(gifOf(1000)),
  ]);

/** A grey picture of 40 megapixels in about 1 kB, which takes many seconds to decode. */
export const costlyAvif = (): Promise<Buffer> =>
  square().avif({ effort: 0, quality: 20 }).toBuffer();

/** Writes the files into a folder: `node test/support/costly-pictures.ts FOLDER`. */
async function main(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = ['grey.avif', 'grey.webp', 'grey.jpg', 'black.png', 'frames.gif'];
  const files = await costlyPictures();
  await Promise.all(files.map((bytes, index) => writeFile(join(folder, names[index]!), bytes)));
  process.stdout.write(
    `${names.map((name, n) => `${name}\t${files[n]!.length} bytes`).join('\n')}\n`,
  );
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder) await main(folder);
  else process.stderr.write('Name a folder for the files.\n');
}

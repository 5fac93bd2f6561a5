import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Metadata } from 'sharp';
import { variantWidths } from '../../platform/images.ts';
import { loadSharp } from '../../platform/sharp.ts';
import { failureMessages, pictureTypes, type FailureCode, type PictureType } from './schema.ts';

/** Photographs of good cameras have 24 million. Decoding takes 3 bytes per pixel. */
export const maxPixels = 40_000_000;
/** Of the longer side to the shorter one. */
const maxRatio = 10;
/** Only the first frame is shown; files with more frames are films or attacks. */
const maxFrames = 1_000;
/** Widths of the variants in pixels, which are part of their names. */
export const sizes = variantWidths;
export type Size = (typeof sizes)[number];

/** Thrown for bytes that are no acceptable image. The message is for users. */
export class UnusableImageError extends Error {
  override name = 'UnusablePicture';
  readonly code: FailureCode;

  constructor(message: string, code: FailureCode = 'unacceptable') {
    super(message);
    this.code = code;
  }
}

/** Thrown if decoding took too long, which may be due to the picture or to a busy machine. */
export class SlowImageError extends Error {
  override name = 'SlowImageError';
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
  const sides = [found.width, found.pageHeight ?? found.height];
  if (Math.max(...sides) > maxRatio * Math.min(...sides)) {
    throw new UnusableImageError(
      `A picture may be ${maxRatio} times as wide as high, or as high as wide.`,
    );
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

/** Processor time that decoding may take; photographs take a second. Then the time, where others have the processor. */
const [maxCpuSeconds, maxSeconds] = [4, 20];
const decoderPath = fileURLToPath(import.meta.resolve('./decoder.ts'));

/**
 * Makes the variants of an inspected image: upright, in sRGB, without metadata, no larger than the original. Uses the
 * first frame of animations. In a process of its own, which yields to the service and which the operating system ends if it
 * takes too long: decoders of AVIF cannot be interrupted, and a file of 949 bytes took 11 s. One at a time.
 * @throws {UnusableImageError} if the image cannot be decoded, for example if it is truncated, or needs too much work
 * @throws {SlowImageError} if it was not decoded in time
 */
export const makeVariants = (bytes: Buffer, cpuSeconds = maxCpuSeconds): Promise<Variant[]> =>
  inTurn(() => decode(bytes, cpuSeconds));

let previous: Promise<unknown> = Promise.resolve();

/** Does one thing after the other, so that however many pictures come, one core stays free of them. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = previous.then(work);
  previous = result.catch(() => {});
  return result;
}

async function decode(bytes: Buffer, cpuSeconds: number): Promise<Variant[]> {
  const command = `ulimit -t ${cpuSeconds} && exec nice -n 10 "$0" "$@"`;
  const decoder = spawn('/bin/sh', ['-c', command, process.execPath, decoderPath], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    timeout: maxSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  // A decoder that was ended closes its input.
  decoder.stdin.on('error', () => {});
  decoder.stdin.end(bytes);
  const [output, [code, signal]] = await Promise.all([
    buffer(decoder.stdout),
    once(decoder, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (code === 0) return readVariants(output);
  if (decoder.killed) throw new SlowImageError(failureMessages.too_slow);
  // The operating system ends it at the limit.
  if (signal) throw new UnusableImageError(failureMessages.too_slow, 'too_slow');
  throw new UnusableImageError(failureMessages.damaged, 'damaged');
}

/** Writes variants as the decoder sends them: the lengths of their descriptions and of each, then these. */
export function writeVariants(variants: Variant[]): Buffer {
  const head = JSON.stringify(
    variants.map(({ bytes, ...rest }) => ({ ...rest, length: bytes.length })),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(head));
  return Buffer.concat([length, Buffer.from(head), ...variants.map(({ bytes }) => bytes)]);
}

function readVariants(output: Buffer): Variant[] {
  let end = 4 + output.readUInt32BE();
  const head = JSON.parse(output.toString('utf8', 4, end)) as (Omit<Variant, 'bytes'> & {
    length: number;
  })[];
  return head.map(({ length, ...variant }) => {
    const bytes = output.subarray(end, (end += length));
    return { ...variant, bytes };
  });
}

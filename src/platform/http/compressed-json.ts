import { promisify } from 'node:util';
import { brotliCompress, constants, crc32, deflateRaw } from 'node:zlib';
import {
  brotliOptions,
  gzipOptions,
  minCompressedBytes,
  type ContentCoding,
} from './compression.ts';
import type { Rendered } from './results.ts';

type Coding = Exclude<ContentCoding, 'identity'>;

/** The compressed head of a rendered answer. It ends at the border of a byte, so that any text can follow. */
export interface CompressedHead {
  coding: Coding;
  /** One character per byte. */
  text: string;
  /** CRC-32 and length of the head, for the end of gzip; others have no checksum. */
  checksum: number;
  length: number;
}

type Heads = Partial<Record<Coding, CompressedHead | Promise<CompressedHead>>>;

const headsOf = new WeakMap<Rendered, Heads>();

/**
 * Returns the head of an answer in a coding; undefined if the answer is short. It is compressed once for each coding that
 * is asked for, and a promise only while it is.
 */
export function compressedHead(
  rendered: Rendered,
  coding: ContentCoding,
): CompressedHead | Promise<CompressedHead> | undefined {
  if (coding === 'identity' || rendered.head.length <= minCompressedBytes) return undefined;
  let heads = headsOf.get(rendered);
  if (!heads) headsOf.set(rendered, (heads = {}));
  return (heads[coding] ??= compressHead(rendered, coding, heads));
}

const deflateAsync = promisify(deflateRaw);
const brotliAsync = promisify(brotliCompress);

async function compressHead(
  { head }: Rendered,
  coding: Coding,
  heads: Heads,
): Promise<CompressedHead> {
  const bytes = Buffer.from(head, 'latin1');
  const compressed =
    coding === 'gzip'
      ? [
          gzipStart,
          await deflateAsync(bytes, {
            ...gzipOptions(bytes.length, 'often'),
            finishFlush: constants.Z_SYNC_FLUSH,
          }),
        ]
      : [
          await brotliAsync(bytes, {
            ...brotliOptions(bytes.length, 'often'),
            finishFlush: constants.BROTLI_OPERATION_FLUSH,
          }),
        ];
  const text = Buffer.concat(compressed).toString('latin1');
  const checksum = coding === 'gzip' ? crc32(bytes) : 0;
  return (heads[coding] = { coding, text, checksum, length: bytes.length });
}

/** RFC 1952: deflate, no flags, no time, unknown system. */
const gzipStart = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/**
 * Returns the whole answer, one character per byte: the compressed head, and the rest as it is. The rest differs from
 * answer to answer; so nothing is compressed for each. It has at most 65,535 characters, all of ASCII.
 */
export const completeCompressed = (head: CompressedHead, rest: string): string =>
  head.text + (head.coding === 'gzip' ? gzipEnd(head, rest) : brotliEnd(rest));

/** A last block that is stored (RFC 1951 section 3.2.4), then checksum and length of the whole. */
function gzipEnd({ checksum, length }: CompressedHead, rest: string): string {
  const end = Buffer.allocUnsafe(rest.length + 13);
  end[0] = 1;
  end.writeUInt16LE(rest.length, 1);
  end.writeUInt16LE(0xffff - rest.length, 3);
  end.write(rest, 5, 'latin1');
  end.writeUInt32LE(crc32(end.subarray(5, 5 + rest.length), checksum), rest.length + 5);
  end.writeUInt32LE((length + rest.length) % 2 ** 32, rest.length + 9);
  return end.toString('latin1');
}

/** A meta-block that is not compressed (RFC 7932 section 9.2): its length less 1 and a bit; then an empty last one. */
function brotliEnd(rest: string): string {
  const start = ((rest.length - 1) << 3) | (1 << 19);
  return `${String.fromCharCode(start & 0xff, (start >> 8) & 0xff, start >> 16)}${rest}\u0003`;
}

// Tiles of hashes and bundles of entries by C2SP tlog-tiles (commit 1cd32db2278a of github.com/C2SP/C2SP).
import { LogFormatError } from './log-errors.ts';

/** Hashes in a full tile, and entries in a full bundle. */
export const tileWidth = 256;
export const hashBytes = 32;

export interface Tile {
  /** Level 0 has leaf hashes, level n hashes of full tiles of level n - 1; `entries` are bundles of entries. */
  level: number | 'entries';
  index: number;
  /** Hashes or entries in it: 1 to 255 in a partial tile, else 256. */
  width: number;
}

/** A tile of hashes with its content. */
export interface HashTile extends Tile {
  level: number;
  /** `width` hashes. */
  hashes: Buffer;
}

/** Returns the path of a tile below the log's URL. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const elements = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  const last = elements.pop();
  const suffix = width < tileWidth ? `.p/${width}` : '';
  return `tile/${level}/${elements.map((element) => `x${element}/`).join('')}${last}${suffix}`;
}

const pathPattern = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Parses the path of a tile below the log's URL. Returns undefined for any other path. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, index, width] = pathPattern.exec(path) ?? [];
  if (level === undefined || index === undefined) return undefined;
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  };
  const isValid =
    (tile.level === 'entries' || tile.level <= 63) &&
    Number.isSafeInteger(tile.index) &&
    tile.width >= 1 &&
    // Each tile has one path.
    tilePath(tile) === path;
  return isValid ? tile : undefined;
}

/** Returns how many hashes a level has in a log of that size. */
export const hashesAt = (level: number, size: number): number =>
  Math.floor(size / tileWidth ** level);

/** Returns the tile of a log of that size which has the hash at that position of its level. */
export function tileWith(level: number, position: number, size: number): Tile {
  const index = Math.floor(position / tileWidth);
  return { level, index, width: Math.min(tileWidth, hashesAt(level, size) - index * tileWidth) };
}

/**
 * Lists the tiles that a log of size `to` has and one of size `from` does not: bundles of entries first, then hashes by
 * level. A partial tile is listed again for each width.
 */
export function grownTiles(from: number, to: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesAt(level, to) > 0; level++) {
    let position = hashesAt(level, from);
    while (position < hashesAt(level, to)) {
      const tile = tileWith(level, position, to);
      tiles.push(tile);
      position = (tile.index + 1) * tileWidth;
    }
  }
  const bundles = tiles.filter(({ level }) => level === 0);
  return [...bundles.map((tile): Tile => ({ ...tile, level: 'entries' })), ...tiles];
}

/**
 * Splits a tile into its hashes.
 * @throws {LogFormatError} unless it has exactly `width` hashes
 */
export function parseHashes(data: Uint8Array, width: number): Buffer[] {
  if (data.length !== width * hashBytes) {
    throw new LogFormatError(`a tile of ${width} hashes has ${data.length} bytes`);
  }
  const bytes = Buffer.from(data);
  return Array.from({ length: width }, (_, index) =>
    bytes.subarray(index * hashBytes, (index + 1) * hashBytes),
  );
}

export const maxEntryBytes = 2 ** 16 - 1;
/** Bytes of the length before each entry. */
const lengthBytes = 2;

/** Encodes the content of a bundle: each entry after its length, a big-endian uint16. */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.length > maxEntryBytes) {
        throw new RangeError(`an entry has ${entry.length} bytes, more than ${maxEntryBytes}`);
      }
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/**
 * Splits a bundle into its entries.
 * @throws {LogFormatError} unless it has exactly `width` entries
 */
export function parseEntryBundle(data: Uint8Array, width: number): Buffer[] {
  const bytes = Buffer.from(data);
  const entries: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const end = endOfEntry(bytes, offset);
    entries.push(bytes.subarray(offset + lengthBytes, end));
    offset = end;
  }
  if (entries.length !== width) {
    throw new LogFormatError(`a bundle of ${width} entries has ${entries.length}`);
  }
  return entries;
}

/**
 * Returns the entry at a position of a bundle, as a part of the given bytes. Takes a twentieth of the time of
 * `parseEntryBundle`.
 * @throws {LogFormatError} if the bundle has no such entry
 */
export function entryInBundle(bytes: Buffer, position: number): Buffer {
  let offset = 0;
  for (let n = 0; n < position; n++) offset = endOfEntry(bytes, offset);
  return bytes.subarray(offset + lengthBytes, endOfEntry(bytes, offset));
}

/** Returns where the entry ends whose length is at the offset. */
function endOfEntry(bytes: Buffer, offset: number): number {
  const start = offset + lengthBytes;
  const end = start <= bytes.length ? start + bytes.readUInt16BE(offset) : Infinity;
  if (end > bytes.length) throw new LogFormatError('a bundle ends within an entry');
  return end;
}

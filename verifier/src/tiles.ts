// Paths and contents of tiles by C2SP tlog-tiles.
import { FormatError } from './errors.js';

/** Hashes in a full tile, and entries in a full bundle. */
export const tileWidth = 256;
export const hashBytes = 32;

/** Returns the path of a tile below the URL of the log. Level `entries` has bundles of entries. */
export function tilePath(level: number | 'entries', index: number, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  const path = groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** Returns how many hashes a level has in a log of that size. */
export const hashesAt = (level: number, size: number): number =>
  Math.floor(size / tileWidth ** level);

/**
 * Splits a bundle into its entries.
 * @throws {FormatError} unless it has exactly `width` entries
 */
export function parseBundle(bytes: Buffer, path: string, width: number): Buffer[] {
  const entries: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const start = offset + 2;
    const end = start <= bytes.length ? start + bytes.readUInt16BE(offset) : Infinity;
    if (end > bytes.length) {
      throw new FormatError(`${path} ends within its entry ${entries.length}`);
    }
    entries.push(bytes.subarray(start, end));
    offset = end;
  }
  if (entries.length !== width) {
    throw new FormatError(`${path} has ${entries.length} entries instead of ${width}`);
  }
  return entries;
}

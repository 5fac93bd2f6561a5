import { FormatError } from './errors.js';

/**
 * Splits a bundle (C2SP tlog-tiles) into its entries.
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

// Paths of tiles by C2SP tlog-tiles.

/** Hashes in a full tile, and entries in a full bundle. */
export const tileWidth = 256;
export const hashBytes = 32;

/**
 * Returns the path of a tile below the URL of the log. Level `entries` has bundles of entries.
 * @param {number | 'entries'} level
 * @param {number} index
 * @param {number} width
 */
export function tilePath(level, index, width) {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, n) => (n < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width < tileWidth ? `.p/${width}` : ''}`;
}

/**
 * Returns how many hashes a level has in a log of that size.
 * @param {number} level
 * @param {number} size
 */
export const hashesAt = (level, size) => Math.floor(size / tileWidth ** level);

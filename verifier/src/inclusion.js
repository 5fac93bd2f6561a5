// Inclusion in the Merkle tree of RFC 6962 section 2.1.
import { areEqual, sha256 } from './bytes.js';
import { FormatError } from './errors.js';
import { hashBytes, hashesAt, tilePath, tileWidth } from './tiles.js';

/** @typedef {import('./bytes.js').Bytes} Bytes */

/** @param {Uint8Array} entry */
export const hashLeaf = (entry) => sha256(Uint8Array.of(0), entry);

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
const hashNode = (left, right) => sha256(Uint8Array.of(1), left, right);

/**
 * @typedef {object} InclusionClaim
 * @property {number} index
 * @property {number} size
 * @property {Bytes} leafHash
 * @property {Bytes} root
 * @property {readonly Bytes[]} proof
 */

/**
 * Returns whether the proof shows that the tree has that leaf at that index (RFC 9162 section 2.1.3.2).
 * @param {InclusionClaim} claim
 */
export async function isIncluded({ index, size, leafHash, root, proof }) {
  if (index >= size) return false;
  // `fn` and `sn` of the RFC. Division instead of shifts, since positions can exceed 32 bits.
  let [node, last] = [index, size - 1];
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = await hashNode(sibling, hash);
      // From the last node of a level, which has no sibling, to the ancestor that has one.
      while (node % 2 === 0 && node !== 0) [node, last] = parents(node, last);
    } else {
      hash = await hashNode(hash, sibling);
    }
    [node, last] = parents(node, last);
  }
  return last === 0 && areEqual(hash, root);
}

/**
 * @param {number} node
 * @param {number} last
 * @returns {[number, number]}
 */
const parents = (node, last) => [Math.floor(node / 2), Math.floor(last / 2)];

/**
 * Reads a file of the log by its path.
 * @callback ReadFile
 * @param {string} path
 * @returns {Promise<Bytes>}
 */

/**
 * Computes the proof that a leaf is in a tree from its tiles (RFC 6962 section 2.1.1). A wrong tile leads to a wrong proof.
 * @param {number} index before `size`
 * @param {number} size
 * @param {ReadFile} readFile
 * @returns {Promise<Bytes[]>}
 * @throws {FormatError} if a tile is too short
 */
export async function inclusionProof(index, size, readFile) {
  const reader = new RangeReader(size, readFile);
  /** @type {Promise<Bytes>[]} */
  const proof = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      proof.unshift(reader.rootOf(middle, end));
      end = middle;
    } else {
      proof.unshift(reader.rootOf(start, middle));
      start = middle;
    }
  }
  return Promise.all(proof);
}

/**
 * The largest power of two that is lower than the number.
 * @param {number} count
 */
function splitPoint(count) {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** Computes roots of parts of a tree. Reads each tile once. */
class RangeReader {
  /** @type {Map<string, Promise<Bytes>>} */
  #tiles = new Map();
  #size;
  #readFile;

  /**
   * @param {number} size
   * @param {ReadFile} readFile
   */
  constructor(size, readFile) {
    this.#size = size;
    this.#readFile = readFile;
  }

  /**
   * @param {number} start
   * @param {number} end
   * @returns {Promise<Bytes>}
   */
  async rootOf(start, end) {
    const count = end - start;
    const half = splitPoint(count);
    if (count === 1 || half * 2 === count) return this.#completeRoot(start, count);
    const [left, right] = await Promise.all([
      this.rootOf(start, start + half),
      this.rootOf(start + half, end),
    ]);
    return hashNode(left, right);
  }

  /**
   * The root of a complete subtree, whose hashes stand in one tile.
   * @param {number} start
   * @param {number} count a power of two
   */
  async #completeRoot(start, count) {
    const level = Math.floor(Math.log2(count) / Math.log2(tileWidth));
    const first = start / tileWidth ** level;
    const hashes = count / tileWidth ** level;
    const tile = await this.#tile(level, Math.floor(first / tileWidth));
    const offset = (first % tileWidth) * hashBytes;
    let nodes = Array.from({ length: hashes }, (_, n) =>
      tile.slice(offset + n * hashBytes, offset + (n + 1) * hashBytes),
    );
    if (nodes.some(({ length }) => length !== hashBytes))
      throw new FormatError('a tile is too short');
    while (nodes.length > 1) {
      nodes = await Promise.all(
        nodes.flatMap((left, n) => (n % 2 === 0 ? [hashNode(left, nodes[n + 1] ?? left)] : [])),
      );
    }
    const [root = tile] = nodes;
    return root;
  }

  /**
   * @param {number} level
   * @param {number} index
   */
  #tile(level, index) {
    const width = Math.min(tileWidth, hashesAt(level, this.#size) - index * tileWidth);
    const path = tilePath(level, index, width);
    const known = this.#tiles.get(path) ?? this.#readFile(path);
    this.#tiles.set(path, known);
    return known;
  }
}

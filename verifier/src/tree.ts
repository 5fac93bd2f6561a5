// The Merkle tree of RFC 6962 section 2.1, computed from its leaves.
import { hash } from 'node:crypto';
import { hashBytes, tileWidth } from './tiles.js';

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

const sha256 = (...parts: Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');

export const leafHashOf = (entry: Uint8Array): Buffer => sha256(leafPrefix, entry);

/** A full tile of hashes. */
export interface FullTile {
  level: number;
  index: number;
  hashes: Buffer;
}

/** What of a tree is needed to append to it. */
export interface TreeState {
  size: number;
  /** For each level, the hashes of its last tile, unless that is full. */
  edge: Buffer[];
}

/** A tree that grows by leaves. Keeps only its right edge. */
export class Tree {
  size: number;
  readonly #edge: Buffer[][];

  constructor({ size, edge }: TreeState = { size: 0, edge: [] }) {
    this.size = size;
    this.#edge = edge.map(splitHashes);
  }

  /** Appends the hash of a leaf. Returns the tiles that became full. */
  append(leafHash: Buffer): FullTile[] {
    const full: FullTile[] = [];
    this.size += 1;
    let added = leafHash;
    for (let level = 0; ; level++) {
      const hashes = (this.#edge[level] ??= []);
      hashes.push(added);
      if (hashes.length < tileWidth) return full;
      const tile = Buffer.concat(hashes);
      full.push({ level, index: this.size / tileWidth ** (level + 1) - 1, hashes: tile });
      this.#edge[level] = [];
      added = rootAbove(tile);
    }
  }

  get root(): Buffer {
    let root: Buffer = Buffer.alloc(0);
    for (const hashes of this.#edge) {
      if (hashes.length > 0) root = rootAbove(Buffer.concat([...hashes, root]));
    }
    return root.length > 0 ? root : sha256();
  }

  /** A copy, which stays as it is. */
  get state(): TreeState {
    return { size: this.size, edge: this.#edge.map((hashes) => Buffer.concat(hashes)) };
  }
}

/** Splits a tile into copies of its hashes. */
const splitHashes = (tile: Buffer): Buffer[] =>
  Array.from({ length: tile.length / hashBytes }, (_, n) =>
    Buffer.from(tile.subarray(n * hashBytes, (n + 1) * hashBytes)),
  );

/** Returns the root above consecutive hashes, of which the last may stand for a smaller subtree. */
function rootAbove(hashes: Buffer): Buffer {
  let level = hashes;
  while (level.length > hashBytes) {
    const nodes: Buffer[] = [];
    for (let offset = 0; offset < level.length; offset += 2 * hashBytes) {
      const pair = level.subarray(offset, offset + 2 * hashBytes);
      nodes.push(pair.length > hashBytes ? sha256(nodePrefix, pair) : pair);
    }
    level = Buffer.concat(nodes);
  }
  return level;
}

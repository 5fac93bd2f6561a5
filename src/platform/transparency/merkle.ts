// The Merkle tree of RFC 6962 section 2.1, stored as tiles. Proofs are verified by RFC 9162 sections 2.1.3.2 and 2.1.4.2.
import { hash } from 'node:crypto';
import { LogFormatError } from './log-errors.ts';
import {
  hashBytes,
  hashesAt,
  tilePath,
  tileWidth,
  tileWith,
  type HashTile,
  type Tile,
} from './tiles.ts';

const sha256 = (...parts: Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

/** The root of a tree without leaves. */
export const emptyRoot = sha256();

export const hashLeaf = (entry: Uint8Array): Buffer => sha256(leafPrefix, entry);

export const hashNode = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(nodePrefix, left, right);

/** Returns the root above consecutive hashes of one level, of which the last may stand for an incomplete subtree. */
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

/** What is needed to append to a tree and to compute its root: the partial tiles of its right edge. */
export interface TreeEdge {
  size: number;
  /** For each level the hashes of its partial tile; empty where the last tile is full. */
  partialTiles: Buffer[];
}

export const emptyTree: TreeEdge = { size: 0, partialTiles: [] };

/** Returns the hashes of a tile. More hashes than asked for are ignored: the full tile may replace a partial one. */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>;

async function readHashes(tile: Tile, readTile: ReadTile): Promise<Buffer> {
  const data = Buffer.from(await readTile(tile));
  const length = tile.width * hashBytes;
  if (data.length < length) {
    throw new LogFormatError(`${tilePath(tile)} has ${data.length} bytes instead of ${length}`);
  }
  return data.subarray(0, length);
}

/** Reads the right edge of a stored tree. */
export async function readEdge(size: number, readTile: ReadTile): Promise<TreeEdge> {
  const partialTiles: Promise<Buffer>[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const count = hashesAt(level, size);
    const isFull = count % tileWidth === 0;
    partialTiles.push(
      isFull
        ? Promise.resolve(Buffer.alloc(0))
        : readHashes(tileWith(level, count - 1, size), readTile),
    );
  }
  return { size, partialTiles: await Promise.all(partialTiles) };
}

/** Computes the root from the right edge. */
export function rootOfEdge({ partialTiles }: TreeEdge): Buffer {
  let root: Buffer = Buffer.alloc(0);
  for (const hashes of partialTiles) {
    if (hashes.length > 0) root = rootAbove(Buffer.concat([hashes, root]));
  }
  return root.length > 0 ? root : emptyRoot;
}

/** Computes the root that a stored tree had at that size. */
export async function readRoot(size: number, readTile: ReadTile): Promise<Buffer> {
  return rootOfEdge(await readEdge(size, readTile));
}

export interface TreeGrowth {
  edge: TreeEdge;
  /** The tiles that the new leaves made or changed, by level; those of `grownTiles`. */
  tiles: HashTile[];
}

/** Appends leaves. The given edge stays as it is, so that a failed transaction can be tried again. */
export function growTree(edge: TreeEdge, leafHashes: readonly Buffer[]): TreeGrowth {
  const tiles: HashTile[] = [];
  const partialTiles: Buffer[] = [];
  let added = leafHashes;
  for (let level = 0; added.length > 0 || level < edge.partialTiles.length; level++) {
    const before = edge.partialTiles[level] ?? Buffer.alloc(0);
    const firstIndex = Math.floor(hashesAt(level, edge.size) / tileWidth);
    const levelTiles = added.length > 0 ? splitTiles(level, firstIndex, [before, ...added]) : [];
    const full = levelTiles.filter(({ width }) => width === tileWidth);
    const partial = levelTiles.find(({ width }) => width < tileWidth);
    tiles.push(...levelTiles);
    partialTiles.push(added.length > 0 ? (partial?.hashes ?? Buffer.alloc(0)) : before);
    added = full.map(({ hashes }) => rootAbove(hashes));
  }
  return { edge: { size: edge.size + leafHashes.length, partialTiles }, tiles };
}

function splitTiles(level: number, firstIndex: number, hashes: Buffer[]): HashTile[] {
  const data = Buffer.concat(hashes);
  const tileBytes = tileWidth * hashBytes;
  return Array.from({ length: Math.ceil(data.length / tileBytes) }, (_, count) => {
    // A copy, so that a kept tile does not keep the batch in memory.
    const part = Buffer.from(data.subarray(count * tileBytes, (count + 1) * tileBytes));
    return { level, index: firstIndex + count, width: part.length / hashBytes, hashes: part };
  });
}

/** Leaves from `start` to before `end`. */
interface LeafRange {
  start: number;
  end: number;
}

/** Returns the largest power of two that is lower than the number. */
function splitPoint(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

const isSize = (value: number) => Number.isSafeInteger(value) && value >= 0;

/**
 * Computes the proof that a leaf is in the tree of that size, from the leaf's sibling to the root's child.
 * @throws {RangeError} if there is no such leaf
 */
export async function inclusionProof(
  index: number,
  size: number,
  readTile: ReadTile,
): Promise<Buffer[]> {
  if (!isSize(index) || !isSize(size) || index >= size) {
    throw new RangeError(`no leaf ${index} in a tree of size ${size}`);
  }
  const siblings: LeafRange[] = [];
  let { start, end }: LeafRange = { start: 0, end: size };
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      siblings.push({ start: middle, end });
      end = middle;
    } else {
      siblings.push({ start, end: middle });
      start = middle;
    }
  }
  return readRangeHashes(siblings.toReversed(), size, readTile);
}

/**
 * Computes the proof that the tree of size `to` begins with the tree of size `from`. It is empty if the sizes are equal
 * or `from` is 0.
 * @throws {RangeError} unless 0 <= from <= to
 */
export async function consistencyProof(
  from: number,
  to: number,
  readTile: ReadTile,
): Promise<Buffer[]> {
  if (!isSize(from) || !isSize(to) || from > to) {
    throw new RangeError(`a tree of size ${to} does not follow one of size ${from}`);
  }
  if (from === 0 || from === to) return [];
  const ranges: LeafRange[] = [];
  let { start, end }: LeafRange = { start: 0, end: to };
  while (end !== from) {
    const middle = start + splitPoint(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The verifier knows the root of the earlier tree itself.
  if (start > 0) ranges.push({ start, end });
  return readRangeHashes(ranges.toReversed(), to, readTile);
}

/** Computes the hash of each range of leaves. Reads each tile once, all at the same time. */
async function readRangeHashes(
  ranges: LeafRange[],
  size: number,
  readTile: ReadTile,
): Promise<Buffer[]> {
  const reads = new Map<string, Promise<Buffer>>();
  const readOnce = (tile: Tile) =>
    reads.getOrInsertComputed(tilePath(tile), () => readHashes(tile, readTile));
  return Promise.all(
    ranges.map(async (range) => {
      const hashes = await Promise.all(
        completeSubtrees(range).map((subtree) => readSubtree(subtree, size, readOnce)),
      );
      return hashes.reduceRight((right, left) => hashNode(left, right));
    }),
  );
}

/** A complete subtree: 2^height leaves from leaf index * 2^height on. */
interface Subtree {
  height: number;
  index: number;
}

/** Divides the leaves below one node of a tree into complete subtrees, from left to right. */
function completeSubtrees({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  let first = start;
  while (first < end) {
    const leaves = splitPoint(end - first + 1);
    subtrees.push({ height: Math.log2(leaves), index: first / leaves });
    first += leaves;
  }
  return subtrees;
}

async function readSubtree(
  { height, index }: Subtree,
  size: number,
  read: (tile: Tile) => Promise<Buffer>,
): Promise<Buffer> {
  const level = Math.floor(height / 8);
  const count = 2 ** (height - level * 8);
  const tile = await read(tileWith(level, index * count, size));
  const offset = ((index * count) % tileWidth) * hashBytes;
  return rootAbove(tile.subarray(offset, offset + count * hashBytes));
}

export interface InclusionClaim {
  index: number;
  size: number;
  leafHash: Uint8Array;
  root: Uint8Array;
  proof: readonly Uint8Array[];
}

/** Returns whether the proof shows that the tree with that root and size has that leaf at that index. */
export function verifyInclusion({ index, size, leafHash, root, proof }: InclusionClaim): boolean {
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes(proof)) return false;
  const path = new Path(index, size - 1);
  let computed: Uint8Array = leafHash;
  for (const sibling of proof) {
    if (path.isAtRoot) return false;
    computed = path.isRight ? hashNode(sibling, computed) : hashNode(computed, sibling);
    path.goUp();
  }
  return path.isAtRoot && areEqual(computed, root);
}

export interface ConsistencyClaim {
  from: number;
  to: number;
  fromRoot: Uint8Array;
  toRoot: Uint8Array;
  proof: readonly Uint8Array[];
}

/** Returns whether the proof shows that the tree of size `to` begins with the tree of size `from`. */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { from, to, fromRoot, toRoot, proof } = claim;
  if (!isSize(from) || !isSize(to) || from > to || !areHashes(proof)) return false;
  if (from === to) return proof.length === 0 && areEqual(fromRoot, toRoot);
  if (from === 0) return proof.length === 0 && areEqual(fromRoot, emptyRoot);
  const isPowerOfTwo = splitPoint(from + 1) === from;
  const [first, ...siblings] = isPowerOfTwo ? [fromRoot, ...proof] : proof;
  if (first === undefined) return false;
  const path = new Path(from - 1, to - 1);
  path.skipRight();
  let computedFrom: Uint8Array = first;
  let computedTo: Uint8Array = first;
  for (const sibling of siblings) {
    if (path.isAtRoot) return false;
    if (path.isRight) {
      computedFrom = hashNode(sibling, computedFrom);
      computedTo = hashNode(sibling, computedTo);
    } else {
      computedTo = hashNode(computedTo, sibling);
    }
    path.goUp();
  }
  return path.isAtRoot && areEqual(computedFrom, fromRoot) && areEqual(computedTo, toRoot);
}

const areEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

const areHashes = (proof: readonly Uint8Array[]) =>
  proof.every(({ length }) => length === hashBytes);

/**
 * The way from a leaf to the root: `fn` and `sn` of RFC 9162, the positions of the node and of the last node of its
 * level. Division instead of shifts, since positions can exceed 32 bits.
 */
class Path {
  #node: number;
  #last: number;

  constructor(leaf: number, lastLeaf: number) {
    this.#node = leaf;
    this.#last = lastLeaf;
  }

  get isAtRoot(): boolean {
    return this.#last === 0;
  }

  /** Whether the next hash of the proof stands to the left of the node. */
  get isRight(): boolean {
    return this.#isOdd || this.#node === this.#last;
  }

  get #isOdd(): boolean {
    return this.#node % 2 === 1;
  }

  /** Skips the levels in which the node is a right child: a consistency proof starts above them. */
  skipRight(): void {
    while (this.#isOdd) this.#halve();
  }

  /** Goes to the parent; from the last node of a level without sibling, first to the ancestor that has one. */
  goUp(): void {
    if (this.#node === this.#last) {
      while (!this.#isOdd && this.#node !== 0) this.#halve();
    }
    this.#halve();
  }

  #halve(): void {
    this.#node = Math.floor(this.#node / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

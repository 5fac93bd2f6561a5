import { parseBundle } from './bundles.ts';
import { FormatError, VerificationError } from './errors.js';
import { parseEntry } from './entries.ts';
import type { Problems } from './problems.ts';
import { Recount, type PetitionSum, type RecountState } from './recount.ts';
import { fetchBytes, fetchIfThere } from './source.ts';
import { hashBytes, hashesAt, tilePath, tileWidth } from './tiles.js';
import { leafHashOf, Tree, type FullTile, type TreeState } from './tree.ts';

/** How far a walk came. */
export interface WalkState {
  tree: TreeState;
  recount: RecountState;
}

interface WalkOptions {
  /** URL of the log. */
  logUrl: string;
  /** The root that the tree must have once it has that size. */
  earlier?: { size: number; root: Buffer } | undefined;
  /** An entry to look for. */
  sought?: { index: number; leafHash: Uint8Array } | undefined;
  problems: Problems;
  /** Called with the sum of a petition after each of its entries. */
  onSum: (sum: PetitionSum) => void;
  /** Called after each bundle, with the size of the whole log. */
  onProgress: (size: number) => Promise<void>;
}

/** How many bundles are fetched ahead. */
const bundlesAhead = 12;
/** How many tiles are fetched at the same time. */
const comparisonsAtOnce = 12;

/** Goes through a log from its first entry to its last: computes the tree, compares its tiles, and adds up its entries. */
export class Walk {
  readonly tree: Tree;
  readonly recount: Recount;
  readonly #options: WalkOptions;
  /** Bundles with an entry that is not the one whose hash stands in the tile. */
  #mismatches: string[] = [];
  /** Comparisons of tiles that are under way, oldest first. */
  #comparisons: Promise<void>[] = [];
  #hasSought = false;

  constructor(options: WalkOptions, state?: WalkState) {
    this.#options = options;
    this.tree = new Tree(state?.tree);
    this.recount = new Recount(state?.recount);
  }

  /** Whether the sought entry was read. */
  get hasSought(): boolean {
    return this.#hasSought;
  }

  /** Waits for the tiles of what was read. Returns whether they hold. @throws {SourceError} */
  async haveTilesHeld(): Promise<boolean> {
    await Promise.all(this.#comparisons);
    return this.#mismatches.length === 0;
  }

  get state(): WalkState {
    return { tree: this.tree.state, recount: this.recount.state };
  }

  /**
   * Goes on to the tree of that size, and compares its root. What does not hold is added to the problems.
   * @returns whether the entries are those of the root
   * @throws {SourceError} if the server does not answer
   */
  async goTo(size: number, root: Buffer): Promise<boolean> {
    const start = this.tree.size;
    if (!(await this.#readBundles(size))) return false;
    await Promise.all(this.#comparisons);
    this.#comparisons = [];
    if (size > start) await this.#comparePartialTiles(size);
    const { problems } = this.#options;
    if (this.tree.root.equals(root)) {
      for (const message of this.#mismatches) problems.add('tile', message);
      return true;
    }
    // The signed root says that the entries are wrong, not the tiles.
    for (const message of this.#mismatches) problems.add('entry', message);
    problems.add(
      'root',
      `the ${size} entries have the root ${this.tree.root.toString('base64')}, the signed one is ${root.toString('base64')}`,
    );
    return false;
  }

  /** Returns whether all bundles have the form that the standard demands. */
  async #readBundles(size: number): Promise<boolean> {
    const { problems, onProgress } = this.#options;
    const first = Math.floor(this.tree.size / tileWidth);
    const end = Math.ceil(size / tileWidth);
    const ahead = new Map<number, Promise<Buffer>>();
    for (let index = first; index < end; index++) {
      for (let next = index; next < Math.min(end, index + bundlesAhead); next++) {
        if (!ahead.has(next)) ahead.set(next, settled(this.#fetchTile('entries', next, size)));
      }
      const width = Math.min(tileWidth, size - index * tileWidth);
      const path = tilePath('entries', index, width);
      const bytes = await ahead.get(index)!;
      ahead.delete(index);
      try {
        const entries = parseBundle(bytes, path, width);
        const known = this.tree.size - index * tileWidth;
        this.#compareKnown(entries.slice(0, known), path);
        for (const entry of entries.slice(known)) {
          for (const tile of this.#add(entry, path)) {
            // Awaited later, after it may have failed.
            this.#comparisons.push(settled(this.#compareTile(tile, tileWidth)));
          }
        }
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        problems.add('entry', error.message);
        return false;
      }
      while (this.#comparisons.length > comparisonsAtOnce) await this.#comparisons.shift();
      await onProgress(size);
    }
    return true;
  }

  #add(entry: Buffer, path: string): FullTile[] {
    const { problems, onSum, earlier, sought } = this.#options;
    const index = this.tree.size;
    const leafHash = leafHashOf(entry);
    if (sought?.index === index && leafHash.equals(sought.leafHash)) this.#hasSought = true;
    const tiles = this.tree.append(leafHash);
    try {
      onSum(this.recount.add(parseEntry(entry)));
    } catch (error) {
      if (error instanceof FormatError) this.recount.skip();
      else if (!(error instanceof VerificationError)) throw error;
      const kind = error instanceof FormatError ? 'entry' : 'sum';
      problems.add(kind, `entry ${index} (in ${path}): ${error.message}`);
    }
    if (earlier?.size === this.tree.size && !this.tree.root.equals(earlier.root)) {
      problems.add(
        'history',
        `the first ${earlier.size} entries are not those of the earlier audit: the log was rewritten`,
      );
    }
    return tiles;
  }

  /** Compares entries of a bundle that were read before, when it was shorter. */
  #compareKnown(entries: Buffer[], path: string): void {
    const known = this.tree.state.edge[0]!;
    for (const [n, entry] of entries.entries()) {
      const hash = known.subarray(n * hashBytes, (n + 1) * hashBytes);
      if (leafHashOf(entry).equals(hash)) continue;
      const index = Math.floor(this.tree.size / tileWidth) * tileWidth + n;
      this.#options.problems.add(
        'history',
        `entry ${index} (in ${path}) is not the one that was read before: the log was rewritten`,
      );
    }
  }

  async #comparePartialTiles(size: number): Promise<void> {
    const { edge } = this.tree.state;
    await Promise.all(
      edge.map(async (hashes, level) => {
        if (hashes.length === 0) return;
        const index = Math.floor(hashesAt(level, size) / tileWidth);
        await this.#compareTile({ level, index, hashes }, hashes.length / hashBytes);
      }),
    );
  }

  /** Compares a tile with the computed one. */
  async #compareTile({ level, index, hashes }: FullTile, width: number): Promise<void> {
    const path = tilePath(level, index, width);
    const served = await this.#fetchTile(
      level,
      index,
      (index * tileWidth + width) * tileWidth ** level,
    );
    if (served.equals(hashes)) return;
    if (served.length !== hashes.length) {
      this.#mismatches.push(`${path} has ${served.length} bytes instead of ${hashes.length}`);
      return;
    }
    for (let n = 0; n < width; n++) {
      const offset = n * hashBytes;
      if (
        served
          .subarray(offset, offset + hashBytes)
          .equals(hashes.subarray(offset, offset + hashBytes))
      )
        continue;
      const position = index * tileWidth + n;
      const about = level === 0 ? `entry ${position}` : `tile ${position} of level ${level - 1}`;
      this.#mismatches.push(`hash ${n} of ${path} is not that of ${about}`);
    }
  }

  /** Fetches a tile of a log of that size. A partial one may be replaced by the full one, of which it is cut. */
  async #fetchTile(level: number | 'entries', index: number, size: number): Promise<Buffer> {
    const count = level === 'entries' ? size : hashesAt(level, size);
    const width = Math.min(tileWidth, count - index * tileWidth);
    const { logUrl } = this.#options;
    const url = `${logUrl}/${tilePath(level, index, width)}`;
    if (width === tileWidth) return fetchBytes(url);
    const partial = await fetchIfThere(url);
    if (partial) return partial;
    const full = await fetchBytes(`${logUrl}/${tilePath(level, index, tileWidth)}`);
    return level === 'entries' ? cutBundle(full, width) : full.subarray(0, width * hashBytes);
  }
}

/** Returns the first entries of a bundle. */
function cutBundle(bytes: Buffer, width: number): Buffer {
  let end = 0;
  for (let n = 0; n < width && end + 2 <= bytes.length; n++) end += 2 + bytes.readUInt16BE(end);
  return bytes.subarray(0, end);
}

/** Lets a promise fail before it is waited for. */
function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

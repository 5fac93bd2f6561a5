import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readBlob, storeUnavailable, type Blobs } from '../../platform/blobs.ts';
import { ConcurrencyLimit } from '../../platform/concurrency-limit.ts';
import {
  encodeEntryBundle,
  hashBytes,
  maxEntryBytes,
  parseEntryBundle,
  tilePath,
  tileWidth,
  type Tile,
} from '../../platform/transparency/tiles.ts';

/** Full tiles of hashes have 8 kB, bundles about 50. */
const maxCachedBytes = 16_000_000;
const maxTileBytes = tileWidth * (maxEntryBytes + 2);
const maxCheckpointBytes = 1_000_000;
/** How many files are read at the same time, and how many are written. */
const maxConcurrent = 8;
/** Reads that wait. Beyond it, a read is refused at once: more would be answered too late. */
const maxWaitingReads = 400;

/** The files of a log in the store of blobs: its tiles and the checkpoint. */
export class LogFiles {
  readonly #blobs: Blobs;
  readonly #folder: string;
  /** Full tiles of the published tree, which never change. */
  readonly #fullTiles = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.length),
  });
  readonly #reads = new ConcurrencyLimit(maxConcurrent, {
    maxWaiting: maxWaitingReads,
    message: 'Too many read the log at the moment. Try again shortly.',
  });
  /** Apart, so that readers do not hold up publishing. */
  readonly #writes = new ConcurrencyLimit(maxConcurrent);

  constructor(blobs: Blobs, origin: string) {
    this.#blobs = blobs;
    this.#folder = `log/${hash('sha256', origin, 'hex').slice(0, 16)}`;
  }

  /** The key of the tile's blob. */
  keyOf(tile: Tile): string {
    return `${this.#folder}/${tilePath(tile)}`;
  }

  async putTile(tile: Tile, content: Buffer): Promise<void> {
    const key = this.keyOf(tile);
    await this.#writes.run(() => this.#blobs.put(key, content, 'application/octet-stream'));
  }

  /**
   * Reads a tile of the published tree. A partial tile whose file is deleted is cut from the full one. Returns undefined
   * if neither is stored. What is beyond the published tree must not be read: it can still change, and full tiles are
   * kept in memory.
   * @throws {LogFormatError} if the bundle to cut is damaged
   */
  async readTile(tile: Tile): Promise<Buffer | undefined> {
    const full = { ...tile, width: tileWidth };
    if (tile.width === tileWidth) return this.#readFull(full);
    const cached = this.#fullTiles.get(this.keyOf(full));
    if (cached) return cut(tile, cached);
    const partial = await this.#read(this.keyOf(tile), maxTileBytes);
    if (partial) return partial;
    // The full tile can be beyond the published tree, so it is not kept.
    const stored = await this.#read(this.keyOf(full), maxTileBytes);
    return stored && cut(tile, stored);
  }

  /** As `readTile`. @throws {Problem} unavailable, if it is not stored */
  async requireTile(tile: Tile): Promise<Buffer> {
    const content = await this.readTile(tile);
    if (!content) throw storeUnavailable(new Error(`${this.keyOf(tile)} is missing`));
    return content;
  }

  async deleteTile(tile: Tile): Promise<void> {
    await this.#writes.run(() => this.#blobs.delete(this.keyOf(tile)));
  }

  async putCheckpoint(note: string): Promise<void> {
    const type = 'text/plain; charset=utf-8';
    await this.#blobs.put(this.#checkpointKey, Buffer.from(note), type);
  }

  /** Returns the signed note; undefined if none is published. */
  async readCheckpoint(): Promise<string | undefined> {
    return (await this.#read(this.#checkpointKey, maxCheckpointBytes))?.toString();
  }

  get #checkpointKey(): string {
    return `${this.#folder}/checkpoint`;
  }

  async #readFull(tile: Tile): Promise<Buffer | undefined> {
    const key = this.keyOf(tile);
    const cached = this.#fullTiles.get(key);
    if (cached) return cached;
    const content = await this.#read(key, maxTileBytes);
    if (content) this.#fullTiles.set(key, content);
    return content;
  }

  async #read(key: string, maxBytes: number): Promise<Buffer | undefined> {
    const content = await this.#reads.run(() => readBlob(this.#blobs, key, maxBytes));
    if (content === 'too-large') throw storeUnavailable(new Error(`${key} is too large`));
    return content;
  }
}

/** Returns the first hashes or entries of a full tile. */
function cut({ level, width }: Tile, content: Buffer): Buffer {
  if (level !== 'entries') return content.subarray(0, width * hashBytes);
  return encodeEntryBundle(parseEntryBundle(content, tileWidth).slice(0, width));
}

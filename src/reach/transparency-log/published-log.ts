import { parseCheckpoint } from '../../platform/transparency/checkpoints.ts';
import { parseNote } from '../../platform/transparency/notes.ts';
import { hashesAt, tileWidth, type Tile } from '../../platform/transparency/tiles.ts';
import type { LogFiles } from './log-files.ts';

/** How long a checkpoint is served before the store is read again. */
const maxAgeMs = 1000;

export interface PublishedCheckpoint {
  /** The signed text. */
  note: string;
  /** The number of entries. */
  size: number;
}

/** What is published of the log. Reads the store alone, and no database. */
export class PublishedLog {
  readonly #files: LogFiles;
  #checkpoint: PublishedCheckpoint | undefined;
  /** By performance.now(). */
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<PublishedCheckpoint | undefined> | undefined;

  constructor(files: LogFiles) {
    this.#files = files;
  }

  /** Returns the checkpoint, at most a second old; undefined if none is published. */
  async checkpoint(): Promise<PublishedCheckpoint | undefined> {
    const isRecent = performance.now() - this.#readAtMs < maxAgeMs;
    return isRecent ? this.#checkpoint : this.#readCheckpoint();
  }

  /** Returns the content of a tile; undefined if the published tree has no such tile. */
  async tile(tile: Tile): Promise<Buffer | undefined> {
    return (await this.#has(tile)) ? this.#files.readTile(tile) : undefined;
  }

  /** Whether the tile is in the published tree, also if another process published it a moment ago. */
  async #has(tile: Tile): Promise<boolean> {
    const askedAtMs = performance.now();
    const { size = 0 } = (await this.checkpoint()) ?? {};
    if (contains(size, tile)) return true;
    if (this.#readAtMs >= askedAtMs) return false;
    // A read that runs already can have begun before that.
    await this.#reading;
    const { size: sizeNow = 0 } = (await this.#readCheckpoint()) ?? {};
    return contains(sizeNow, tile);
  }

  /** Calls at the same time share one read. */
  #readCheckpoint(): Promise<PublishedCheckpoint | undefined> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(): Promise<PublishedCheckpoint | undefined> {
    const startedAtMs = performance.now();
    const note = await this.#files.readCheckpoint();
    const size = note === undefined ? 0 : parseCheckpoint(parseNote(note).text).size;
    this.#checkpoint = note === undefined ? undefined : { note, size };
    this.#readAtMs = startedAtMs;
    return this.#checkpoint;
  }
}

/** Whether a tree of that size has the tile. */
function contains(size: number, { level, index, width }: Tile): boolean {
  return index * tileWidth + width <= (level === 'entries' ? size : hashesAt(level, size));
}

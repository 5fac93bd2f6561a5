import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { rootOfEdge, type TreeEdge } from '../../platform/transparency/merkle.ts';
import type { VerifierKey } from '../../platform/transparency/notes.ts';
import {
  encodeEntryBundle,
  grownTiles,
  hashesAt,
  tileWidth,
  type Tile,
} from '../../platform/transparency/tiles.ts';
import { compareWithFiles } from './fork-check.ts';
import type { LogFiles } from './log-files.ts';
import { bundleStart, growByPending } from './pending.ts';
import * as queries from './publishing-queries.ts';
import { isOwn } from './sequencer.ts';
import { readState, storeHalt, storePublished, type LogState } from './state.ts';
import { verifierKeysOf } from './witness-keys.ts';
import { readCosignatureLines } from './witness-queries.ts';

/**
 * What became of a call: `busy` if another process publishes, `not-ours` if there is no log yet, or another instance
 * writes it.
 */
export type PublishOutcome = 'published' | 'up-to-date' | 'busy' | 'halted' | 'not-ours';

type PublisherContext = Pick<Context, 'config' | 'db' | 'log' | 'now'>;

/** How many files of partial tiles are deleted in a step. */
const maxDeletions = 500;

/** Publishes what was appended to the log: its tiles, then the checkpoint. */
export class Publisher {
  readonly #ctx: PublisherContext;
  readonly #files: LogFiles;
  /** Whether this process has compared the files with the database. */
  #hasCompared = false;
  /** The note that is served, with cosignatures, as this process knows. */
  #servedNote: string | undefined;
  /** Why the log is halted, as this process has logged it. */
  #loggedHalt: string | undefined;

  constructor(ctx: PublisherContext, files: LogFiles) {
    this.#ctx = ctx;
    this.#files = files;
  }

  /**
   * Publishes the log as the database has it. `keys` are all that can have signed the published checkpoint. Does nothing
   * in the files, and halts the log, if they have another history. After a failure, call it again.
   * @throws {Problem} unavailable, if the store does not answer
   */
  async publish(keys: readonly VerifierKey[]): Promise<PublishOutcome> {
    const outcome = await transaction(this.#ctx.db, (tx) => this.#publishLocked(tx, keys));
    if (outcome === 'published') await this.#deleteReplacedTiles();
    return outcome;
  }

  /**
   * Serves the cosignatures of the published checkpoint. Does nothing if another one is published meanwhile, or another
   * process publishes: that serves them.
   * @throws {Problem} unavailable, if the store does not answer
   */
  async serveCosignatures(): Promise<void> {
    await transaction(this.#ctx.db, async (tx) => {
      if (!(await queries.lockPublishing(tx))) return;
      const state = await readState(tx);
      if (!state || !isOwn(this.#ctx.config, state) || state.haltedBecause !== null) return;
      await this.#serveCosignatures(tx, state);
    });
  }

  async #serveCosignatures(tx: Tx, { published }: LogState): Promise<void> {
    if (published.checkpoint === null) return;
    const note = await this.#withCosignatures(tx, published.edge.size, published.checkpoint);
    if (note === this.#servedNote) return;
    const served = await this.#files.readCheckpoint();
    // Another one: what comes next publishes a checkpoint, or compares.
    if (!served?.startsWith(published.checkpoint)) return;
    if (served !== note) await this.#putCheckpoint(tx, note);
    this.#servedNote = note;
  }

  /** Appends the cosignatures that the checkpoint of that size has. */
  async #withCosignatures(tx: Tx, size: number, checkpoint: string): Promise<string> {
    const { logWitnesses } = this.#ctx.config;
    if (logWitnesses.length === 0) return checkpoint;
    const lines = await readCosignatureLines(tx, verifierKeysOf(logWitnesses), size);
    return checkpoint + lines.join('');
  }

  async #putCheckpoint(tx: Tx, note: string): Promise<void> {
    // Without the connection there is no lock, and another process may have published since.
    await tx`select 1`;
    await this.#files.putCheckpoint(note);
  }

  /** Writes nothing to the database before the end: followers of events wait for older transactions that write. */
  async #publishLocked(tx: Tx, keys: readonly VerifierKey[]): Promise<PublishOutcome> {
    if (!(await queries.lockPublishing(tx))) return 'busy';
    const state = await readState(tx);
    if (!state || !isOwn(this.#ctx.config, state)) return 'not-ours';
    const { size } = state.edge;
    const isPublished = state.checkpoint === state.published.checkpoint;
    if (isPublished && state.haltedBecause === null && this.#hasCompared) {
      await this.#serveCosignatures(tx, state);
      return 'up-to-date';
    }
    const note = await this.#files.readCheckpoint();
    const found = await compareWithFiles(tx, state, { note, keys, files: this.#files });
    if ('halt' in found) return this.#halt(tx, found.halt);
    let { checkpoint } = found;
    if (checkpoint !== state.checkpoint || found.isFileOld) {
      checkpoint = state.checkpoint!;
      await this.#writeTiles(tx, found.edge, state.edge);
      // After a rotation of the log's keys, the cosignatures of the same tree are still valid.
      const served = await this.#withCosignatures(tx, size, checkpoint);
      await this.#putCheckpoint(tx, served);
      this.#servedNote = served;
    } else {
      await this.#serveCosignatures(tx, state);
    }
    if (!isPublished) {
      await storePublished(tx, { edge: state.edge, checkpoint, at: this.#ctx.now() });
      await queries.deletePendingEntries(tx, bundleStart(size));
    }
    if (state.haltedBecause !== null) await storeHalt(tx, null);
    this.#loggedHalt = undefined;
    this.#hasCompared = true;
    return isPublished ? 'up-to-date' : 'published';
  }

  async #halt(tx: Tx, because: string): Promise<PublishOutcome> {
    await storeHalt(tx, because);
    if (because !== this.#loggedHalt) {
      this.#ctx.log.error({ because }, 'the public log is halted');
      this.#loggedHalt = because;
    }
    return 'halted';
  }

  /** Writes the tiles that a tree has and an earlier one does not. */
  async #writeTiles(tx: Tx, from: TreeEdge, to: TreeEdge): Promise<void> {
    let edge = from;
    let lastBundle: Buffer = Buffer.alloc(0);
    for await (const { start, entries, growth } of growByPending(tx, from, to.size)) {
      const bundles = encodeBundles(start, entries);
      await this.#putAll([
        ...bundles.filter(isFull),
        ...growth.tiles
          .filter(({ width }) => width === tileWidth)
          .map(({ hashes, ...tile }) => ({ tile, content: hashes })),
      ]);
      edge = growth.edge;
      lastBundle = bundles.at(-1)!.content;
    }
    if (!rootOfEdge(edge).equals(rootOfEdge(to))) {
      throw new Error('The pending entries of the log do not have the root that was signed.');
    }
    const partial = partialTiles(from.size, to.size);
    // In a transaction of its own, before there are files that only these rows name.
    await queries.notePartialTiles(this.#ctx.db, partial);
    await this.#putAll(
      partial.map((tile) => ({
        tile,
        content: tile.level === 'entries' ? lastBundle : edge.partialTiles[tile.level]!,
      })),
    );
  }

  /** Waits for all, so that none is written after a failure was reported. */
  async #putAll(files: TileFile[]): Promise<void> {
    const results = await Promise.allSettled(
      files.map(({ tile, content }) => this.#files.putTile(tile, content)),
    );
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** Deletes the partial tiles whose full tile is published, of which they can be cut. */
  async #deleteReplacedTiles(): Promise<void> {
    const { db } = this.#ctx;
    const state = await readState(db);
    if (!state || !isOwn(this.#ctx.config, state)) return;
    const fullTiles = countFullTiles(state.published.edge.size);
    let tiles: Tile[];
    do {
      tiles = await queries.findReplacedTiles(db, fullTiles, maxDeletions);
      await Promise.all(tiles.map((tile) => this.#files.deleteTile(tile)));
      await queries.forgetPartialTiles(db, tiles);
    } while (tiles.length === maxDeletions);
  }
}

/** A tile with its content. */
interface TileFile {
  tile: Tile;
  content: Buffer;
}

const isFull = ({ tile }: TileFile): boolean => tile.width === tileWidth;

/** Encodes entries, the first of which begins a bundle. */
function encodeBundles(start: number, entries: readonly Buffer[]): TileFile[] {
  return Array.from({ length: Math.ceil(entries.length / tileWidth) }, (_, n) => {
    const content = entries.slice(n * tileWidth, (n + 1) * tileWidth);
    return {
      tile: { level: 'entries', index: start / tileWidth + n, width: content.length },
      content: encodeEntryBundle(content),
    };
  });
}

const partialTiles = (from: number, to: number): Tile[] =>
  grownTiles(from, to).filter(({ width }) => width < tileWidth);

/** Returns how many full bundles a log of that size has, then how many full tiles of each level. */
function countFullTiles(size: number): number[] {
  const counts = [hashesAt(1, size)];
  for (let level = 0; hashesAt(level + 1, size) > 0; level++)
    counts.push(hashesAt(level + 1, size));
  return counts;
}

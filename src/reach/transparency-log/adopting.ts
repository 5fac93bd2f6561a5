import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { lockFollower } from '../../platform/followers.ts';
import { replaceLogKeys } from '../../platform/sealed-keys.ts';
import { Problem } from '../../platform/problems.ts';
import { LogFormatError } from '../../platform/transparency/log-errors.ts';
import {
  emptyTree,
  growTree,
  hashLeaf,
  rootOfEdge,
  type TreeEdge,
} from '../../platform/transparency/merkle.ts';
import {
  parseEntryBundle,
  tileWidth,
  tileWith,
  type Tile,
} from '../../platform/transparency/tiles.ts';
import { compareWithFiles } from './fork-check.ts';
import { LogFiles } from './log-files.ts';
import { readLogKeys } from './log-keys.ts';
import { followerName, isOwn } from './sequencer.ts';
import { beginLog, clearLog, readState, storeOwner, type LogState } from './state.ts';

/** What became of the log. */
export type Adoption =
  /** It goes on, written by this instance. */
  | { outcome: 'continued' }
  /** A new one begins, under another name and another key. */
  | { outcome: 'replaced'; before: string }
  /** There was nothing to do. */
  | { outcome: 'own' | 'none' | 'off' };

/** The log cannot be adopted. The message says what to do. */
export class AdoptionError extends Error {
  override name = 'AdoptionError';
}

/**
 * Makes the log of the database that of this instance, by its LOG_ORIGIN and BASE_URL: after a move or a restore the log
 * of the same name goes on; under another name an empty one begins.
 * `mayReplace`: whether the settings name a log, and not only the default does.
 * @throws {AdoptionError} if the files of the log do not fit, or the log would be replaced and may not be
 */
export function adoptLog(ctx: Context, { mayReplace = true } = {}): Promise<Adoption> {
  const { transparencyLog, baseUrl } = ctx.config;
  if (!transparencyLog) return Promise.resolve({ outcome: 'off' });
  const { origin } = transparencyLog;
  return transaction(ctx.pools.main, async (tx): Promise<Adoption> => {
    await lockFollower(tx, followerName);
    const state = await readState(tx);
    if (!state) return { outcome: 'none' };
    const files = new LogFiles(ctx.blobs, origin);
    if (state.origin !== origin) {
      if (!mayReplace) throw unnamed(state.origin);
      await replaceLog(ctx, tx, { files, origin });
      return { outcome: 'replaced', before: state.origin };
    }
    const isRunning = isOwn(ctx.config, state) && state.haltedBecause === null;
    if (isRunning && (await hasItsFiles(files, state))) return { outcome: 'own' };
    await continueLog(ctx, tx, { files, state });
    await storeOwner(tx, baseUrl);
    return { outcome: 'continued' };
  });
}

const unnamed = (origin: string) =>
  new AdoptionError(
    `The log of this database is ${origin}. Set LOG_ORIGIN or BASE_URL as the service has them; for another log, set LOG_ORIGIN to its name.`,
  );

/** Whether what was published is there: a backup has no checkpoint. */
const hasItsFiles = async (files: LogFiles, { published }: LogState): Promise<boolean> =>
  published.checkpoint === null || (await files.readCheckpoint()) !== undefined;

async function replaceLog(
  { config }: Context,
  tx: Tx,
  { files, origin }: { files: LogFiles; origin: string },
): Promise<void> {
  if ((await files.readCheckpoint()) !== undefined) {
    throw new AdoptionError(
      'There are files of a log with this LOG_ORIGIN. Choose one that was never used: what was published under it must not change.',
    );
  }
  await replaceLogKeys(tx, config.secret);
  await clearLog(tx);
  // At once: a process that still runs with the former name would begin another log under that.
  await beginLog(tx, { origin, baseUrl: config.baseUrl });
}

/** Checks that the log can go on from what is published. Publishes the checkpoint of a restored backup. */
async function continueLog(
  { config, now }: Context,
  tx: Tx,
  { files, state }: { files: LogFiles; state: LogState },
): Promise<void> {
  const { origin, published } = state;
  if (published.checkpoint !== null) await requireTree(files, published.edge);
  const note = await files.readCheckpoint();
  if (note === undefined) {
    if (published.checkpoint !== null) await files.putCheckpoint(published.checkpoint);
    return;
  }
  const { verifierKeys: keys } = await readLogKeys(tx, {
    secret: config.secret,
    origin,
    now: now(),
  });
  const found = await compareWithFiles(tx, state, { note, keys, files });
  if ('halt' in found) {
    throw new AdoptionError(
      `The log cannot go on: ${found.halt}. Bring the newer database or files back, or begin another log with another LOG_ORIGIN.`,
    );
  }
}

/** Reads all files of a tree, and requires that they have its root. */
async function requireTree(files: LogFiles, edge: TreeEdge): Promise<void> {
  if (await hasAllFiles(files, edge)) return;
  throw new AdoptionError(
    `The files of the log's ${edge.size} entries are missing or are not those of this database. Copy them from where they were, or restore the backup again.`,
  );
}

async function hasAllFiles(files: LogFiles, { size, ...edge }: TreeEdge): Promise<boolean> {
  let grown = emptyTree;
  try {
    for (let start = 0; start < size; start += tileWidth) {
      const tile: Tile = { ...tileWith(0, start, size), level: 'entries' };
      const entries = parseEntryBundle(await files.requireTile(tile), tile.width);
      const growth = growTree(grown, entries.map(hashLeaf));
      for (const { hashes, ...hashTile } of growth.tiles) {
        const isStored = hashTile.width === tileWidth || hashTile.level === 0;
        if (isStored && !hashes.equals(await files.requireTile(hashTile))) return false;
      }
      grown = growth.edge;
    }
  } catch (error) {
    if (error instanceof LogFormatError || error instanceof Problem) return false;
    throw error;
  }
  return rootOfEdge(grown).equals(rootOfEdge({ size, ...edge }));
}

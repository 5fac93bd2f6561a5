import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { lockFollower } from '../../platform/followers.ts';
import { replaceLogKeys } from '../../platform/sealed-keys.ts';
import { parseCheckpoint } from '../../platform/transparency/checkpoints.ts';
import { readRoot, rootOfEdge } from '../../platform/transparency/merkle.ts';
import { parseNote } from '../../platform/transparency/notes.ts';
import { LogFiles } from './log-files.ts';
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
 * @throws {AdoptionError} if the files of the log do not fit
 */
export function adoptLog(ctx: Context): Promise<Adoption> {
  const { transparencyLog, baseUrl } = ctx.config;
  if (!transparencyLog) return Promise.resolve({ outcome: 'off' });
  const { origin } = transparencyLog;
  return transaction(ctx.pools.main, async (tx): Promise<Adoption> => {
    await lockFollower(tx, followerName);
    const state = await readState(tx);
    if (!state) return { outcome: 'none' };
    const files = new LogFiles(ctx.blobs, origin);
    if (state.origin !== origin) {
      await replaceLog(ctx, tx, { files, origin });
      return { outcome: 'replaced', before: state.origin };
    }
    const isRunning = isOwn(ctx.config, state) && state.haltedBecause === null;
    if (isRunning && (await hasItsFiles(files, state))) return { outcome: 'own' };
    await continueLog(files, state);
    await storeOwner(tx, baseUrl);
    return { outcome: 'continued' };
  });
}

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

async function continueLog(files: LogFiles, { published }: LogState): Promise<void> {
  const { edge, checkpoint } = published;
  if (checkpoint === null) return;
  const root = await readRoot(edge.size, (tile) => files.requireTile(tile)).catch(() => undefined);
  if (!root?.equals(rootOfEdge(edge))) {
    throw new AdoptionError(
      `The files of the log's ${edge.size} entries are missing or are not those of this database. Copy them from where they were, or restore the backup again.`,
    );
  }
  const note = await files.readCheckpoint();
  const size = note === undefined ? 0 : parseCheckpoint(parseNote(note).text).size;
  if (size > edge.size) {
    throw new AdoptionError(
      `A checkpoint of ${size} entries is published, and the database has ${edge.size}. It is older than the log: use a newer one, or begin another log with another LOG_ORIGIN.`,
    );
  }
  if (note === undefined) await files.putCheckpoint(checkpoint);
}

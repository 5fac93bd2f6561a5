import type { Tx } from '../../platform/db.ts';
import { parseCheckpoint, type Checkpoint } from '../../platform/transparency/checkpoints.ts';
import { LogFormatError, LogVerificationError } from '../../platform/transparency/log-errors.ts';
import { readRoot, rootOfEdge } from '../../platform/transparency/merkle.ts';
import {
  parseSignatures,
  verifyNote,
  type VerifierKey,
} from '../../platform/transparency/notes.ts';
import type { LogFiles } from './log-files.ts';
import { growByPending } from './pending.ts';
import type { LogState, PublishedState } from './state.ts';

/** The tree of the published checkpoint, or why nothing may be published after it. */
export type Finding =
  | (Pick<PublishedState, 'edge' | 'checkpoint'> & {
      /** Whether the checkpoint beside the tiles is an earlier one. */
      isFileOld?: true;
    })
  | { halt: string };

interface Published {
  /** The note beside the tiles, if there is one. */
  note: string | undefined;
  /** Those that may have signed it. */
  keys: readonly VerifierKey[];
  files: LogFiles;
}

/**
 * Compares the checkpoint beside the tiles with the database. It can be newer than the database knows, if a process ended
 * after it was written. A database that was restored from a backup, or that lost its last transactions, must not publish:
 * it would fork the log.
 */
export async function compareWithFiles(
  tx: Tx,
  state: LogState,
  { note, keys, files }: Published,
): Promise<Finding> {
  const { published, edge, origin } = state;
  if (note === undefined) {
    return published.edge.size === 0 ? published : { halt: 'the files of the log are missing' };
  }
  // Its signatures were made by this log, though by keys that may no longer be in force.
  if (isNote(note, published.checkpoint)) return published;
  const checkpoint = verifiedCheckpoint(note, keys);
  if (checkpoint?.origin !== origin) {
    return { halt: 'the published checkpoint is not signed by the keys of this log' };
  }
  const { size, root } = checkpoint;
  if (size > edge.size) {
    return {
      halt: `the database is behind: it has ${edge.size} entries, and ${size} are published`,
    };
  }
  if (size < published.edge.size) {
    // A process that was slow has put back an earlier checkpoint: what was published since is there.
    if (await hasTree(files, published)) return { ...published, isFileOld: true };
    return {
      halt: `the files are behind: their checkpoint has ${size} entries, and ${published.edge.size} were published`,
    };
  }
  const edgeThen = await edgeAt(tx, published, size);
  return rootOfEdge(edgeThen).equals(root)
    ? { edge: edgeThen, checkpoint: note }
    : { halt: `the published checkpoint of ${size} entries has another history than the database` };
}

/** Whether the note is that one, with or without lines of cosignatures after its own. */
function isNote(note: string, checkpoint: string | null): boolean {
  if (checkpoint === null || !note.startsWith(checkpoint)) return false;
  try {
    return note === checkpoint || parseSignatures(note.slice(checkpoint.length)).length > 0;
  } catch (error) {
    if (error instanceof LogFormatError) return false;
    throw error;
  }
}

/** Whether the tiles of what was published are stored. */
async function hasTree(files: LogFiles, { edge }: Pick<PublishedState, 'edge'>): Promise<boolean> {
  try {
    const root = await readRoot(
      edge.size,
      async (tile) => (await files.readTile(tile)) ?? Buffer.alloc(0),
    );
    return root.equals(rootOfEdge(edge));
  } catch (error) {
    if (error instanceof LogFormatError) return false;
    throw error;
  }
}

function verifiedCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint | undefined {
  try {
    return parseCheckpoint(verifyNote(note, keys).text);
  } catch (error) {
    if (error instanceof LogFormatError || error instanceof LogVerificationError) return undefined;
    throw error;
  }
}

/** Returns the edge that the tree of the database had at that size, which is not published in its view. */
async function edgeAt(
  tx: Tx,
  { edge }: Pick<PublishedState, 'edge'>,
  size: number,
): Promise<PublishedState['edge']> {
  let grown = edge;
  for await (const batch of growByPending(tx, edge, size)) grown = batch.growth.edge;
  return grown;
}

import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FormatError } from './errors.js';
import { hashBytes, hashesAt, tileWidth } from './tiles.js';
import type { RecountState } from './recount.ts';
import type { WalkState } from './walk.ts';

/** What an audit remembers for the next one. */
export interface AuditState {
  /** Name of the log. */
  origin: string;
  /** Verifier keys that signed it. */
  keys: string[];
  /** The last checkpoint that held. */
  checkpoint: string | null;
  /** When it was verified. */
  auditedAt: string | null;
  /** How far the entries were read, perhaps further than that checkpoint. */
  walk: WalkState | null;
}

interface StoredHead extends Omit<AuditState, 'walk'> {
  version: 1;
  walk: {
    tree: { size: number; edge: string[] };
    recount: Omit<RecountState, 'leaves'>;
  } | null;
}

/** Reads a stored state; undefined if there is none. @throws {FormatError} if the file is not one */
export async function readAuditState(file: string): Promise<AuditState | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const end = bytes.indexOf('\n');
  let head: StoredHead;
  try {
    head = JSON.parse(bytes.subarray(0, Math.max(end, 0)).toString()) as StoredHead;
  } catch (error) {
    throw new FormatError(`${file} is no audit`, { cause: error });
  }
  const leaves = bytes.subarray(end + 1);
  const { version, walk, ...state } = head ?? {};
  if (version !== 1 || !isWalk(walk, leaves.length / 4)) {
    throw new FormatError(
      `${file} is no audit that this version can go on with; delete it to start again`,
    );
  }
  return {
    ...state,
    walk: walk && {
      tree: {
        size: walk.tree.size,
        edge: walk.tree.edge.map((hashes) => Buffer.from(hashes, 'base64')),
      },
      // A copy, since the numbers must be aligned.
      recount: { ...walk.recount, leaves: new Int32Array(new Uint8Array(leaves).buffer) },
    },
  };
}

/** Whether a walk that was read from a file can be gone on with. */
function isWalk(walk: StoredHead['walk'], leafCount: number): boolean {
  if (walk === null) return leafCount === 0;
  const { tree, recount } = walk ?? {};
  return (
    tree?.size === leafCount &&
    recount?.size === leafCount &&
    Array.isArray(recount.petitions) &&
    Array.isArray(tree.edge) &&
    hashesAt(tree.edge.length, leafCount) === 0 &&
    tree.edge.every(
      (hashes, level) =>
        typeof hashes === 'string' &&
        Buffer.from(hashes, 'base64').length ===
          (hashesAt(level, leafCount) % tileWidth) * hashBytes,
    )
  );
}

/** Stores a state; the file is the old or the new one whatever happens. */
export async function writeAuditState(file: string, { walk, ...state }: AuditState): Promise<void> {
  const { leaves, ...recount } = walk?.recount ?? { leaves: new Int32Array() };
  const head = {
    version: 1,
    ...state,
    walk: walk && {
      tree: {
        size: walk.tree.size,
        edge: walk.tree.edge.map((hashes) => hashes.toString('base64')),
      },
      recount,
    },
  };
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(part, 'wx');
    try {
      await handle.writeFile(`${JSON.stringify(head)}\n`);
      await handle.writeFile(new Uint8Array(leaves.buffer, leaves.byteOffset, leaves.byteLength));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

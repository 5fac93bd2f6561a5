import assert from 'node:assert/strict';
import { parseCheckpoint, type Checkpoint } from '../../src/platform/transparency/checkpoints.ts';
import { parseEntry, type LogEntry } from '../../src/platform/transparency/entries.ts';
import { hashLeaf, readRoot } from '../../src/platform/transparency/merkle.ts';
import {
  parseVerifierKey,
  verifyNote,
  type VerifierKey,
} from '../../src/platform/transparency/notes.ts';
import {
  parseEntryBundle,
  tilePath,
  tileWidth,
  tileWith,
  type Tile,
} from '../../src/platform/transparency/tiles.ts';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

/** The log as a verifier reads it: only from what is published. */
export interface VerifiedLog {
  checkpoint: Checkpoint;
  note: string;
  keys: VerifierKey[];
  entries: LogEntry[];
}

type Source = Pick<Service, 'origin'>;

/** Reads the whole published log, and verifies signatures, tree and leaves. */
export async function readLog({ origin }: Source): Promise<VerifiedLog> {
  const { data } = (await (await fetch(`${origin}/v1/log`)).json()) as {
    data: { verifier_keys: string[] };
  };
  const keys = data.verifier_keys.map(parseVerifierKey);
  const note = await (await fetch(`${origin}/log/checkpoint`)).text();
  const { text, signatures } = verifyNote(note, keys);
  assert.equal(signatures.length, keys.length, 'each key has signed');
  const checkpoint = parseCheckpoint(text);
  const read = (tile: Tile) => readTile(origin, tile);
  assert.deepEqual(await readRoot(checkpoint.size, read), checkpoint.root);
  const entries: LogEntry[] = [];
  for (let start = 0; start < checkpoint.size; start += tileWidth) {
    const tile = tileWith(0, start, checkpoint.size);
    const bundle = parseEntryBundle(await read({ ...tile, level: 'entries' }), tile.width);
    assert.deepEqual(Buffer.concat(bundle.map(hashLeaf)), Buffer.from(await read(tile)));
    entries.push(...bundle.map(parseEntry));
  }
  return { checkpoint, note, keys, entries };
}

async function readTile(origin: string, tile: Tile): Promise<Buffer> {
  const answer = await fetch(`${origin}/log/${tilePath(tile)}`);
  assert.equal(answer.status, 200, tilePath(tile));
  return Buffer.from(await answer.arrayBuffer());
}

/** What the entries of a petition add up to. */
export interface Recount {
  counted: number;
  imported: number;
}

/**
 * Adds up the entries of each petition, by log_id, as docs/verifying.md says.
 * @throws {AssertionError} if an entry contradicts those before it
 */
export function recount(entries: readonly LogEntry[]): Map<string, Recount> {
  const sums = new Map<string, Recount>();
  /** Whether the `sign` entry at an index is in force. */
  const inForce = new Map<number, boolean>();
  const versions = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const sum = sums.getOrInsertComputed(entry.petition, () => ({ counted: 0, imported: 0 }));
    switch (entry.type) {
      case 'text':
        assert.ok(entry.version > (versions.get(entry.petition) ?? 0), 'versions ascend');
        versions.set(entry.petition, entry.version);
        break;
      case 'sign':
        assert.ok(entry.version <= versions.get(entry.petition)!, 'the text comes first');
        inForce.set(index, true);
        sum.counted += 1;
        break;
      case 'undo':
      case 'restore': {
        const isUndo = entry.type === 'undo';
        assert.equal(inForce.get(entry.leaf), isUndo, `${entry.type} of ${entry.leaf}`);
        assert.equal(entries[entry.leaf]!.petition, entry.petition);
        inForce.set(entry.leaf, !isUndo);
        sum.counted += isUndo ? -1 : 1;
        break;
      }
      case 'import':
        sum.imported += entry.count;
        break;
      case 'total':
        assert.equal(entry.counted, sum.counted);
        assert.equal(entry.imported, sum.imported);
        assert.ok(entry.through < index);
        assert.ok(entries.slice(entry.through + 1, index).every(({ type }) => type === 'total'));
        break;
    }
  }
  return sums;
}

/** Returns the `sign` entries that are undone, each with the `undo` that is in force of it, by their indexes. */
export function undosIn(entries: readonly LogEntry[]): Map<number, number> {
  const undos = new Map<number, number>();
  for (const [index, entry] of entries.entries()) {
    if (entry.type === 'undo') undos.set(entry.leaf, index);
    if (entry.type === 'restore') undos.delete(entry.leaf);
  }
  return undos;
}

/** Returns how many entries of each kind a petition has; of imports, what they add up to. */
export function kindsIn(entries: readonly LogEntry[], { log_id: logId }: { log_id: string }) {
  const own = entries.filter(({ petition }) => petition === logId);
  const count = (type: LogEntry['type']) => own.filter((entry) => entry.type === type).length;
  return {
    signed: count('sign'),
    undone: count('undo'),
    restored: count('restore'),
    imported: own.reduce((sum, entry) => sum + (entry.type === 'import' ? entry.count : 0), 0),
  };
}

/** Waits until the published log has what the condition asks for. */
export async function logWith(
  source: Source,
  condition: (log: VerifiedLog) => boolean,
): Promise<VerifiedLog> {
  let last: VerifiedLog | undefined;
  await eventually(async () => {
    const published = await fetch(`${source.origin}/log/checkpoint`);
    if (published.status !== 200) return false;
    last = await readLog(source);
    return condition(last);
  }, 15_000);
  return last!;
}

/** A petition, by its name in the log. */
export interface LoggedPetition {
  id: string;
  log_id: string;
}

/** Waits until the published log counts so many signatures of a petition. */
export const countedLog = (
  source: Source,
  { log_id: logId }: LoggedPetition,
  counted: number,
): Promise<VerifiedLog> =>
  logWith(source, ({ entries }) => recount(entries).get(logId)?.counted === counted);

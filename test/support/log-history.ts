import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { parseCheckpoint, type Checkpoint } from '../../src/platform/transparency/checkpoints.ts';
import { encodeEntry } from '../../src/platform/transparency/entries.ts';
import {
  emptyTree,
  growTree,
  hashLeaf,
  rootOfEdge,
} from '../../src/platform/transparency/merkle.ts';
import { verifyNote } from '../../src/platform/transparency/notes.ts';
import type { VerifiedLog } from './public-log.ts';

/**
 * Verifies that the log begins with the tree of each checkpoint, so that all are of one history. Returns them in the order
 * of their notes.
 */
export function requireOneHistory(
  { entries, keys, checkpoint: last }: VerifiedLog,
  notes: readonly string[],
): Checkpoint[] {
  const checkpoints = notes.map((note) => parseCheckpoint(verifyNote(note, keys).text));
  let edge = emptyTree;
  for (const { size, root } of checkpoints.toSorted((one, other) => one.size - other.size)) {
    assert.ok(size <= last.size, `a checkpoint has ${size} entries, and the log ${last.size}`);
    const added = entries.slice(edge.size, size).map((entry) => hashLeaf(encodeEntry(entry)));
    edge = growTree(edge, added).edge;
    assert.deepEqual(rootOfEdge(edge), root, `the checkpoint of ${size} entries is of this log`);
  }
  for (const { origin } of checkpoints) assert.equal(origin, last.origin);
  return checkpoints;
}

/** Collects the checkpoints that a service shows. */
export class CheckpointWatcher implements AsyncDisposable {
  /** All different notes, in the order in which they were seen. */
  readonly notes: string[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(origin: string) {
    this.#running = this.#run(`${origin}/log/checkpoint`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(address: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // The service can be away.
      const note = await fetch(address, { signal })
        .then((answer) => (answer.ok ? answer.text() : undefined))
        .catch(() => undefined);
      if (note !== undefined && note !== this.notes.at(-1)) this.notes.push(note);
      await pause(100);
    }
  }
}

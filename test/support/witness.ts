import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatCheckpoint } from '../../src/platform/transparency/checkpoints.ts';
import {
  consistencyProof,
  emptyTree,
  growTree,
  hashLeaf,
  rootOfEdge,
} from '../../src/platform/transparency/merkle.ts';
import {
  createSigner,
  formatNote,
  formatVerifierKey,
  signText,
  type Signer,
} from '../../src/platform/transparency/notes.ts';
import { tilePath } from '../../src/platform/transparency/tiles.ts';
import { formatSubmission } from '../../src/platform/transparency/witness-protocol.ts';
import { freePort } from './process.ts';

/** A log in memory. */
export interface MemoryLog {
  origin: string;
  signers: Signer[];
  verifierKeys: string[];
  /** The checkpoint of its first entries, signed by these keys, by default its own. */
  checkpoint(size: number, signers?: readonly Signer[]): string;
  root(size: number): Buffer;
  proof(from: number, to: number): Promise<Buffer[]>;
  /** The body of a request that a witness cosign. */
  submission(from: number, to: number, signers?: readonly Signer[]): Promise<string>;
  /** Another log of the same name and keys, with the same first entries. */
  fork(from: number): MemoryLog;
}

const maxEntries = 600;
const makeLeaves = (count: number) => Array.from({ length: count }, () => hashLeaf(randomBytes(8)));

/** Makes the two signers of a log. */
export const makeLogSigners = (origin: string): Signer[] => [
  createSigner(origin, 'ed25519', randomBytes(32)),
  createSigner(origin, 'ml-dsa-44-cosignature', randomBytes(32)),
];

export function memoryLog(
  origin: string,
  signers = makeLogSigners(origin),
  leaves = makeLeaves(maxEntries),
): MemoryLog {
  const grown = (size: number) => growTree(emptyTree, leaves.slice(0, size));
  const root = (size: number) => rootOfEdge(grown(size).edge);
  const checkpoint: MemoryLog['checkpoint'] = (size, by = signers) => {
    const text = formatCheckpoint({ origin, size, root: root(size) });
    return formatNote({ text, signatures: by.map((signer) => signText(text, signer)) });
  };
  const proof: MemoryLog['proof'] = (from, to) => {
    const tiles = new Map(grown(to).tiles.map((tile) => [tilePath(tile), tile.hashes]));
    return consistencyProof(from, to, async (tile) => tiles.get(tilePath(tile))!);
  };
  return {
    origin,
    signers,
    verifierKeys: signers.map(({ key }) => formatVerifierKey(key)),
    checkpoint,
    root,
    proof,
    submission: async (from, to, by) =>
      formatSubmission({
        oldSize: from,
        proof: from > to ? [] : await proof(from, to),
        note: checkpoint(to, by),
      }),
    fork: (from) =>
      memoryLog(origin, signers, [...leaves.slice(0, from), ...makeLeaves(maxEntries - from)]),
  };
}

/** Makes a folder that is removed at the end. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'petitions-witness-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface WitnessProcess extends AsyncDisposable {
  origin: string;
  verifierKeys: string[];
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
}

interface WitnessOptions {
  name: string;
  folder: string;
  /** Verifier keys of logs. */
  logs: readonly string[];
  port?: number;
}

/** Starts `npm run witness` as a process of its own, and waits until it is ready. */
export async function startWitnessProcess({
  name,
  folder,
  logs,
  port,
}: WitnessOptions): Promise<WitnessProcess> {
  const listenOn = port ?? (await freePort());
  const script = fileURLToPath(new URL('../../src/cli/witness.ts', import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env.PATH,
      WITNESS_NAME: name,
      WITNESS_DIR: folder,
      WITNESS_LOGS: logs.join(', '),
      WITNESS_PORT: String(listenOn),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const exited = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`the witness ended: ${output}`)));
  });
  const verifierKeys = output.split('\n').filter((line) => line.startsWith(`${name}+`));
  assert.equal(verifierKeys.length, 2, output);
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    return exited;
  };
  return {
    origin: `http://127.0.0.1:${listenOn}`,
    verifierKeys,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

export interface WitnessResponse {
  status: number;
  body: string;
  type: string | null;
}

/** Sends a checkpoint to a witness. */
export async function addCheckpoint(origin: string, body: string): Promise<WitnessResponse> {
  const response = await fetch(`${origin}/add-checkpoint`, { method: 'POST', body });
  return {
    status: response.status,
    body: await response.text(),
    type: response.headers.get('content-type'),
  };
}

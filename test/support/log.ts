import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Blobs } from '../../src/platform/blobs.ts';
import { transaction } from '../../src/platform/db.ts';
import type { Context } from '../../src/platform/context.ts';
import { encodeEntry, type LogEntry } from '../../src/platform/transparency/entries.ts';
import { formatCheckpoint, parseCheckpoint } from '../../src/platform/transparency/checkpoints.ts';
import { hashLeaf, readRoot } from '../../src/platform/transparency/merkle.ts';
import {
  createSigner,
  formatNote,
  signText,
  verifyNote,
  type Signer,
  type VerifierKey,
} from '../../src/platform/transparency/notes.ts';
import {
  encodeEntryBundle,
  grownTiles,
  parseEntryBundle,
  parseHashes,
  tilePath,
  type Tile,
} from '../../src/platform/transparency/tiles.ts';
import { appendEntries } from '../../src/reach/transparency-log/appending.ts';
import { LogFiles } from '../../src/reach/transparency-log/log-files.ts';
import { readSigners } from '../../src/reach/transparency-log/log-keys.ts';
import { Publisher, type PublishOutcome } from '../../src/reach/transparency-log/publishing.ts';
import { beginLog, readState } from '../../src/reach/transparency-log/state.ts';
import { startService, type Service } from './service.ts';

const petition = '3d1f0c5e-8a4b-4c6d-9e2f-7a1b2c3d4e5f';

/** Makes entries that differ. */
export const makeEntries = (count: number): LogEntry[] =>
  Array.from({ length: count }, () => ({
    v: 1,
    type: 'import',
    petition,
    count: randomInt(1_000_000_000),
  }));

/** The log of a service, to which a test appends. */
export interface TestLog {
  origin: string;
  signers: Signer[];
  keys: VerifierKey[];
  files: LogFiles;
  /** Appends so many entries, without publishing them. */
  append(count: number): Promise<void>;
  publish(): Promise<PublishOutcome>;
}

/** Begins the log of a service that runs no jobs, unless it has begun. */
export async function openTestLog(ctx: Context): Promise<TestLog> {
  const { config, db } = ctx;
  const { origin } = config.transparencyLog!;
  const signers = await readSigners(db, { secret: config.secret, origin, now: ctx.now() });
  const keys = signers.map(({ key }) => key);
  const files = new LogFiles(ctx.blobs, origin);
  const publisher = new Publisher(ctx, files);
  if (!(await readState(db))) {
    await transaction(db, (tx) => beginLog(tx, { origin, baseUrl: config.baseUrl }));
  }
  return {
    origin,
    signers,
    keys,
    files,
    append: (count) =>
      transaction(db, async (tx) => {
        const state = (await readState(tx))!;
        await appendEntries(tx, state, { entries: makeEntries(count), signers });
      }),
    publish: () => publisher.publish(keys),
  };
}

/** Publishes a log of one entry in the files of a service, past its database, unless there is a log. */
export async function putSmallLog({ config, blobs }: Context): Promise<void> {
  const { origin } = config.transparencyLog!;
  const files = new LogFiles(blobs, origin);
  if ((await files.readCheckpoint()) !== undefined) return;
  const entry = encodeEntry(makeEntries(1)[0]!);
  const root = hashLeaf(entry);
  await files.putTile({ level: 'entries', index: 0, width: 1 }, encodeEntryBundle([entry]));
  await files.putTile({ level: 0, index: 0, width: 1 }, root);
  const text = formatCheckpoint({ origin, size: 1, root });
  const signer = createSigner(origin, 'ed25519', Buffer.alloc(32, 1));
  await files.putCheckpoint(formatNote({ text, signatures: [signText(text, signer)] }));
}

/** A service with a log. */
export interface LogWorld extends AsyncDisposable {
  service: Service;
  log: TestLog;
}

/** Starts a service with a log. `lines` receives the lines of its log. */
export async function startLogWorld(lines: string[] = []): Promise<LogWorld> {
  const service = await startService({ log: lines });
  const log = await openTestLog(service.ctx);
  return { service, log, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Reads the log as others do, over HTTP. */
export function readerOf({ origin }: Service) {
  const fetchFile = async (path: string) => {
    const response = await fetch(`${origin}/log/${path}`);
    assert.equal(response.status, 200, path);
    return Buffer.from(await response.arrayBuffer());
  };
  return {
    fetchFile,
    readTile: (tile: Tile) => fetchFile(tilePath(tile)),
  };
}

/** Reads the checkpoint beside the tiles, past the second for which it is cached. */
export async function readPublished({ files, keys, origin }: TestLog) {
  const note = (await files.readCheckpoint())!;
  const { text, signatures } = verifyNote(note, keys);
  assert.deepEqual(
    signatures.map(({ key }) => key.kind),
    ['ed25519', 'ml-dsa-44-cosignature'],
  );
  const checkpoint = parseCheckpoint(text);
  assert.equal(checkpoint.origin, origin);
  return checkpoint;
}

/** Asserts that the log over HTTP has the root of its checkpoint, and that its entries have these hashes. */
export async function requireWhole({ service, log }: LogWorld): Promise<void> {
  const { size, root } = await readPublished(log);
  const { readTile } = readerOf(service);
  assert.deepEqual(await readRoot(size, readTile), root);
  for (const tile of grownTiles(0, size)) {
    if (tile.level !== 'entries') continue;
    const entries = parseEntryBundle(await readTile(tile), tile.width);
    const hashes = parseHashes(await readTile({ ...tile, level: 0 }), tile.width);
    assert.deepEqual(entries.map(hashLeaf), hashes);
  }
  const state = (await readState(service.ctx.db))!;
  assert.equal(state.published.edge.size, size);
  assert.equal(state.edge.size, size);
  assert.equal(state.haltedBecause, null);
}

/** Blobs that call `before` before they store something, and `after` afterwards. */
export function watchedBlobs(
  blobs: Blobs,
  { before, after }: { before?: (key: string) => unknown; after?: (key: string) => unknown },
): Blobs {
  return {
    put: async (key, bytes, type) => {
      await before?.(key);
      await blobs.put(key, bytes, type);
      await after?.(key);
    },
    get: (key) => blobs.get(key),
    delete: (key) => blobs.delete(key),
    uploadAddress: (key, terms) => blobs.uploadAddress(key, terms),
    removeAbandoned: () => blobs.removeAbandoned(),
    close: async () => {},
  };
}

/** A process that publishes with these blobs. */
export const publisherWith = (ctx: Context, log: TestLog, blobs: Blobs) =>
  new Publisher(ctx, new LogFiles(blobs, log.origin));

export const isCheckpoint = (key: string) => key.endsWith('/checkpoint');

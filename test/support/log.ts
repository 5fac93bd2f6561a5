import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import type { Blobs } from '../../src/platform/blobs.ts';
import { transaction, type Db } from '../../src/platform/db.ts';
import type { Context } from '../../src/platform/context.ts';
import { registerFollower } from '../../src/platform/followers.ts';
import { parseCheckpoint } from '../../src/platform/transparency/checkpoints.ts';
import type { LogEntry } from '../../src/platform/transparency/entries.ts';
import { hashLeaf, readRoot } from '../../src/platform/transparency/merkle.ts';
import {
  verifyNote,
  type Signer,
  type VerifierKey,
} from '../../src/platform/transparency/notes.ts';
import {
  grownTiles,
  hashBytes,
  parseEntryBundle,
  parseHashes,
  tilePath,
  type Tile,
} from '../../src/platform/transparency/tiles.ts';
import { appendEntries } from '../../src/reach/transparency-log/appending.ts';
import { LogFiles } from '../../src/reach/transparency-log/log-files.ts';
import { readSigners } from '../../src/reach/transparency-log/log-keys.ts';
import { Publisher, type PublishOutcome } from '../../src/reach/transparency-log/publishing.ts';
import { followerName, sequence } from '../../src/reach/transparency-log/sequencer.ts';
import { beginLog, readState } from '../../src/reach/transparency-log/state.ts';
import { eventually } from './eventually.ts';
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

/** Makes entries of signatures: the most common ones, and the longest but for those of texts. */
export const makeSignEntries = (count: number): LogEntry[] =>
  Array.from({ length: count }, () => ({
    v: 1,
    type: 'sign',
    petition,
    version: 1,
    commitment: randomBytes(hashBytes).toString('base64url'),
  }));

/** The log of a service, to which a test appends. */
export interface TestLog {
  origin: string;
  signers: Signer[];
  keys: VerifierKey[];
  files: LogFiles;
  /** Appends so many entries, of imports by default, without publishing them. */
  append(count: number, make?: (count: number) => LogEntry[]): Promise<void>;
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
    append: (count, make = makeEntries) =>
      transaction(db, async (tx) => {
        const state = (await readState(tx))!;
        await appendEntries(tx, state, { entries: make(count), signers });
      }),
    publish: () => publisher.publish(keys),
  };
}

/**
 * Has the log of a service that runs no jobs follow all that was counted before, and publishes it. Returns the number of
 * entries.
 */
export async function writeLog(ctx: Context): Promise<number> {
  const { db, cache } = ctx;
  await registerFollower(ctx.pools.main, followerName);
  const log = await openTestLog(ctx);
  const end = (await db.value<string | null>`select max(position) from events`) ?? '0';
  await eventually(async () => {
    const hasMore = await sequence(ctx);
    const { scan } = (await readState(db))!;
    return !hasMore && scan === null && (await isFollowed(db, end));
  });
  await log.publish();
  cache.drop('transparency-log');
  return (await readState(db))!.published.edge.size;
}

/** Whether the log has gone past all events up to a position. Events of open transactions, of any database, wait. */
const isFollowed = async (db: Db, end: string): Promise<boolean> =>
  !(await db.exists`
    select from events e, event_followers f
    where f.name = ${followerName} and e.position <= ${end}
      and (e.transaction, e.position) > (f.transaction, f.position)`);

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

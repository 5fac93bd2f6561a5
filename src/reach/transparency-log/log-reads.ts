import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import type { Context } from '../../platform/context.ts';
import {
  decodeCursor,
  encodeCursor,
  toPage,
  type Page,
  type PageQuery,
} from '../../platform/cursor.ts';
import { defaultLimit } from '../../platform/http/schema.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound, Problem, unavailable } from '../../platform/problems.ts';
import { parseEntry } from '../../platform/transparency/entries.ts';
import { rootOfEdge } from '../../platform/transparency/merkle.ts';
import { formatVerifierKey } from '../../platform/transparency/notes.ts';
import {
  entryInBundle,
  tileWith,
  tileWidth,
  type Tile,
} from '../../platform/transparency/tiles.ts';
import type { LogFiles } from './log-files.ts';
import { readSigners } from './log-keys.ts';
import * as queries from './log-read-queries.ts';
import {
  maxLogDays,
  type IndexedEntry,
  type LogLeaf,
  type PetitionLog,
  type PublicLog,
  type Witness,
} from './schema.ts';
import { isOwn } from './sequencer.ts';
import { emptyState, readState, type LogState } from './state.ts';
import { keysOf, verifierKeysOf } from './witness-keys.ts';
import { readNewestCosignatures } from './witness-queries.ts';

/** The log of this instance. */
export interface OpenLog {
  /** Up to a second old. */
  state: LogState;
  files: LogFiles;
}

/**
 * Opens the log, which is empty before it has begun. `files` is undefined where it is switched off.
 * @throws {Problem} not-found if this instance publishes none
 */
export async function requireLog(ctx: Context, files: LogFiles | undefined): Promise<OpenLog> {
  const { config, cache } = ctx;
  const { origin } = config.transparencyLog ?? {};
  if (!files || !origin) throw noLog();
  const stored = await cache.read('transparency-log', 'state', () => readState(ctx.db));
  const state = stored ?? emptyState({ origin, baseUrl: config.baseUrl });
  if (!isOwn(config, state)) throw noLog();
  return { state, files };
}

const noLog = () => new Problem('not-found', 'This instance publishes no log.');

/**
 * Returns what is public of the log, up to a second old: the keys are opened for it.
 * @throws {Problem} not-found if this instance publishes no log
 */
export async function showLog(ctx: Context, files: LogFiles | undefined): Promise<PublicLog> {
  const { state } = await requireLog(ctx, files);
  return ctx.cache.read('transparency-log', 'public', () => presentLog(ctx, state));
}

async function presentLog(ctx: Context, { origin, published }: LogState): Promise<PublicLog> {
  const { config } = ctx;
  const signers = await readSigners(ctx.db, { secret: config.secret, origin, now: ctx.now() });
  const keys = signers.map(({ key }) => key);
  return {
    origin,
    verifier_key: formatVerifierKey(keys.find(({ kind }) => kind === 'ed25519')!),
    verifier_keys: keys.map(formatVerifierKey),
    tree_size: published.edge.size,
    root_hash: rootOfEdge(published.edge).toString('base64'),
    checkpoint_url: `${config.baseUrl}/log/checkpoint`,
    witnesses: await presentWitnesses(ctx),
    updated_at: published.at?.toISOString() ?? null,
  };
}

/** The keys of witnesses, with what each cosigned last. */
async function presentWitnesses({ config, db }: Context): Promise<Witness[]> {
  const keys = keysOf(config.logWitnesses);
  if (keys.length === 0) return [];
  const names = verifierKeysOf(config.logWitnesses);
  const rows = await readNewestCosignatures(db, names);
  const newest = new Map(rows.map((row) => [row.verifierKey, row]));
  return keys.map(({ name }, n) => {
    const { size = null, cosignedAt = null } = newest.get(names[n]!) ?? {};
    return {
      name,
      verifier_key: names[n]!,
      size,
      cosigned_at: cosignedAt?.toISOString() ?? null,
    };
  });
}

/** Whose log is read. */
export interface PetitionLogRequest {
  caller: Caller | null;
  ref: string;
  code: string | undefined;
}

/** @throws {Problem} not-found if this instance publishes no log, or the petition has no entry */
export async function showPetitionLog(
  ctx: Context,
  files: LogFiles | undefined,
  request: PetitionLogRequest,
): Promise<PetitionLog> {
  const found = await findPetitionLog(ctx, files, request);
  if (!found) throw noEntry();
  return found;
}

/**
 * The same; undefined if the petition has no entry.
 * @throws {Problem} not-found if this instance publishes no log
 */
export async function findPetitionLog(
  ctx: Context,
  files: LogFiles | undefined,
  request: PetitionLogRequest,
): Promise<PetitionLog | undefined> {
  const { origin, published } = (await requireLog(ctx, files)).state;
  const { id } = await requireReadable(ctx, request);
  const logged = await queries.findPetitionByDay(ctx.db, id, maxLogDays);
  if (!logged) return undefined;
  return {
    log_id: logged.log_id,
    origin,
    signature_count: logged.counted + logged.imported,
    counted: logged.counted,
    imported: logged.imported,
    entry_count: logged.entries,
    last_total_index: logged.total_index,
    tree_size: published.edge.size,
    days: logged.days,
  };
}

/** Whether this instance publishes a log that has entries of the petition. */
export async function hasEntries(ctx: Context, petitionId: string): Promise<boolean> {
  const { config, cache } = ctx;
  if (!config.transparencyLog) return false;
  const state = await cache.read('transparency-log', 'state', () => readState(ctx.db));
  return state !== undefined && isOwn(config, state) && queries.isLogged(ctx.db, petitionId);
}

/**
 * Returns a published `sign` entry, and what has undone it.
 * @throws {Problem} not-found, with code no_sign_entry for another entry; unavailable while that is not known
 */
export async function showLeaf(
  ctx: Context,
  files: LogFiles | undefined,
  index: number,
): Promise<LogLeaf> {
  const log = await requireLog(ctx, files);
  const { size } = log.state.published.edge;
  if (index >= size) throw notFound('entry in the published log');
  const [leaf] = await readEntries(log.files, [index], size);
  const { entry } = leaf!;
  if (entry.type !== 'sign') {
    const detail = 'The entry with this index is not that of a signature.';
    throw new Problem('not-found', detail, { code: 'no_sign_entry' });
  }
  const found = await queries.findUndo(ctx.db, index);
  if (!found?.is_complete) throw unavailable('Entries of an earlier version are being read.');
  return { index, entry, undone: await readUndo(log, found.undo), tree_size: size };
}

/** Reads the `undo` entry with this index. Null if it is not published yet. */
async function readUndo(
  { state, files }: OpenLog,
  undo: string | null,
): Promise<LogLeaf['undone']> {
  const { size } = state.published.edge;
  if (undo === null || Number(undo) >= size) return null;
  const [found] = await readEntries(files, [Number(undo)], size);
  const { index, entry } = found!;
  if (entry.type !== 'undo') throw new Error(`The entry ${index} of the log is no undo.`);
  return { index, cause: entry.cause };
}

const listName = 'log-entries';

/** Returns published entries of a petition, ascending. */
export async function listPetitionEntries(
  ctx: Context,
  files: LogFiles | undefined,
  request: PetitionLogRequest,
  { cursor, limit = defaultLimit }: PageQuery,
): Promise<Page<IndexedEntry>> {
  const log = await requireLog(ctx, files);
  const { size } = log.state.published.edge;
  const { number } = await requireLoggedPetition(ctx, request);
  const after = decodeCursor(listName, ['number'], cursor);
  const indexes = await queries.listIndexes(ctx.db, number, {
    after: after ? Number(after[0]) : -1,
    before: size,
    limit: limit + 1,
  });
  const page = toPage(
    indexes,
    limit,
    (last) => encodeCursor(listName, [last]),
    (index) => index,
  );
  return { items: await readEntries(log.files, page.items, size), nextCursor: page.nextCursor };
}

/** Reads entries of the published log, each bundle once. The entries of a page can be in 100 bundles. */
async function readEntries(
  files: LogFiles,
  indexes: readonly number[],
  size: number,
): Promise<IndexedEntry[]> {
  const bundles = new Map<number, Promise<Buffer>>();
  return Promise.all(
    indexes.map(async (index) => {
      const tile: Tile = { ...tileWith(0, index, size), level: 'entries' };
      const bundle = await bundles.getOrInsertComputed(tile.index, () => files.requireTile(tile));
      return { index, entry: parseEntry(entryInBundle(bundle, index % tileWidth)) };
    }),
  );
}

async function requireLoggedPetition(
  ctx: Context,
  request: PetitionLogRequest,
): Promise<queries.PublicSums> {
  const { id } = await requireReadable(ctx, request);
  const logged = await queries.findPetition(ctx.db, id);
  if (!logged) throw noEntry();
  return logged;
}

const requireReadable = (ctx: Context, { caller, ref, code }: PetitionLogRequest) =>
  requireReadablePetition(ctx, caller, ref, code);

const noEntry = () => notFound('entry of this petition in the log');

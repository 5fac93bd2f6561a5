import { logIdsBackfill } from '../../campaigns/petitions/state.ts';
import { isBackfillComplete, reopenBackfill } from '../../platform/backfills.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { readTransactions, type LoggedEvent, type LogPosition } from '../../platform/events.ts';
import { claimPosition, storePosition } from '../../platform/followers.ts';
import { parseNote, type Signer } from '../../platform/transparency/notes.ts';
import { signAgain } from './appending.ts';
import { changesOf, concernsLog, isAboutText } from './following.ts';
import { sumsBackfillName } from './entry-sums.ts';
import { readSigners } from './log-keys.ts';
import * as queries from './queries.ts';
import { readScanStep } from './scanning.ts';
import { addBatch, type Changes } from './sequencing.ts';
import {
  beginLog,
  beginScan,
  firstScan,
  noteGap,
  readState,
  storeScan,
  type LogState,
} from './state.ts';

/** Key of the stored position in the events. */
export const followerName = 'transparency-log';

const eventsPerBatch = 5000;
/** Signatures that the events of a batch are about. More if one transaction is about more. */
const signaturesPerBatch = 10_000;
/** An event about a text, which can be long, counts as so many signatures. */
const textWeight = 50;

/**
 * Does one step of writing the log, in one transaction: begins it, compares a part of all signatures with it, or adds what
 * the next events are about. While the log is off or halted, only forgets what may not be kept. Returns whether there is
 * more to do.
 */
export function sequence(ctx: Context): Promise<boolean> {
  return transaction(ctx.pools.main, async (tx) => {
    const position = await claimPosition(tx, followerName);
    // Another process does it.
    if (!position) return false;
    const state = await readState(tx);
    if (!mayAdd(ctx, state)) return skipEvents(tx, position, state);
    if (!state) return begin(ctx, tx, position);
    if (state.hasGap) {
      await beginScan(tx, firstScan(state.edge.size > 0));
      return true;
    }
    const hasMore = await follow(ctx, tx, position, state);
    // While all signatures are compared, new ones and erased ones do not wait for that.
    if (!state.scan || hasMore) return hasMore;
    await scan(ctx, tx);
    return true;
  });
}

/** Whether this instance writes the log. A log that has not begun is the instance's own. */
export function mayAdd({ config }: Pick<Context, 'config'>, state: LogState | undefined): boolean {
  if (!config.transparencyLog) return false;
  return !state || (isOwn(config, state) && state.haltedBecause === null);
}

/** Whether the log is that of this instance, and not of the one whose database was copied. */
export const isOwn = (
  { transparencyLog, baseUrl }: Context['config'],
  state: Pick<LogState, 'origin' | 'baseUrl'>,
): boolean => transparencyLog?.origin === state.origin && baseUrl === state.baseUrl;

async function begin(ctx: Context, tx: Tx, position: LogPosition): Promise<boolean> {
  const { config, log } = ctx;
  if (!(await isBackfillComplete(tx, logIdsBackfill.name)))
    return skipEvents(tx, position, undefined);
  const { origin } = config.transparencyLog!;
  await beginLog(tx, { origin, baseUrl: config.baseUrl });
  log.info({ origin }, 'the log begins');
  return true;
}

/** Compares the next part of all signatures with the log. */
async function scan(ctx: Context, tx: Tx): Promise<void> {
  const state = (await readState(tx))!;
  const { changes, next } = await readScanStep(tx, state.scan!);
  await add(ctx, tx, state, changes);
  await storeScan(tx, next);
  if (!next) ctx.log.info({ size: state.edge.size }, 'all signatures are in the log');
}

/** Adds what the next events are about. Returns whether there are more. */
async function follow(
  ctx: Context,
  tx: Tx,
  position: LogPosition,
  state: LogState,
): Promise<boolean> {
  const { events, hasMore } = await nextEvents(tx, position);
  if (state.hasRecentBatch && !state.scan && !hasMore) return false;
  await add(ctx, tx, state, changesOf(events));
  const last = events.at(-1);
  if (last) await storePosition(tx, followerName, last);
  return hasMore;
}

async function add(ctx: Context, tx: Tx, state: LogState, changes: Changes): Promise<void> {
  const now = ctx.now();
  const { origin, checkpoint } = state;
  // A process of an earlier version has added entries, which can be after the backfill.
  if (state.summedSize < state.edge.size) await reopenBackfill(tx, sumsBackfillName);
  const signers = await readSigners(tx, { secret: ctx.config.secret, origin, now });
  const hasGrown = await addBatch(tx, state, changes, { signers, now });
  if (!hasGrown && checkpoint !== null && !isSignedBy(checkpoint, signers)) {
    await signAgain(tx, state, signers);
  }
}

/** Whether these keys have signed a note, and no others. */
function isSignedBy(note: string, signers: readonly Signer[]): boolean {
  const ids = parseNote(note).signatures.map(({ keyId }) => keyId);
  return ids.join() === signers.map(({ key }) => key.id).join();
}

/** Goes past events without adding anything. */
async function skipEvents(
  tx: Tx,
  position: LogPosition,
  state: LogState | undefined,
): Promise<boolean> {
  const { events, hasMore } = await nextEvents(tx, position);
  const last = events.at(-1);
  if (!last) return false;
  if (state && events.some(concernsLog)) {
    const { forgotten, signatures } = changesOf(events);
    const compared = await queries.compareSignatures(tx, signatures);
    const gone = compared.filter(({ version }) => version === null);
    await queries.forgetOpenings(tx, [...forgotten, ...gone.map(({ id }) => id)]);
    await noteGap(tx);
  }
  await storePosition(tx, followerName, last);
  return hasMore;
}

/** Reads the events of a batch: of whole transactions, since what one did stands in one batch. */
async function nextEvents(
  tx: Tx,
  position: LogPosition,
): Promise<{ events: LoggedEvent[]; hasMore: boolean }> {
  const events = await readTransactions(tx, position, eventsPerBatch);
  let signatures = 0;
  const end = events.findIndex(({ transaction: id, type, items }, n) => {
    const isNewTransaction = n > 0 && id !== events[n - 1]!.transaction;
    if (isNewTransaction && signatures >= signaturesPerBatch) return true;
    signatures += isAboutText(type) ? textWeight : Math.max(1, items.length);
    return false;
  });
  const batch = end === -1 ? events : events.slice(0, end);
  return { events: batch, hasMore: end !== -1 || events.length >= eventsPerBatch };
}

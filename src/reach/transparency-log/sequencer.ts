import { isBackfillComplete } from '../../platform/backfills.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, type Tx } from '../../platform/db.ts';
import { readTransactions, type LoggedEvent, type LogPosition } from '../../platform/events.ts';
import { claimPosition, storePosition } from '../../platform/followers.ts';
import { changesOf, concernsLog } from './following.ts';
import { readSigners } from './log-keys.ts';
import * as queries from './queries.ts';
import { readScanStep } from './scanning.ts';
import { addBatch, type Changes } from './sequencing.ts';
import { beginLog, firstScan, noteGap, readState, storeScan, type LogState } from './state.ts';

/** Key of the stored position in the events. */
export const followerName = 'transparency-log';
/** Gives each petition its log_id. */
export const logIdBackfill = 'petition-log-ids';

const eventsPerBatch = 5000;
/** Signatures that the events of a batch are about. More if one transaction is about more. */
const signaturesPerBatch = 10_000;

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
      await storeScan(tx, firstScan(state.edge.size > 0));
      return true;
    }
    if (state.scan) {
      const { changes, next } = await readScanStep(tx, state.scan);
      await add(ctx, tx, state, changes);
      await storeScan(tx, next);
      if (!next) ctx.log.info({ size: state.edge.size }, 'all signatures are in the log');
      return true;
    }
    return follow(ctx, tx, position, state);
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
  if (!(await isBackfillComplete(tx, logIdBackfill))) return skipEvents(tx, position, undefined);
  const { origin } = config.transparencyLog!;
  await beginLog(tx, { origin, baseUrl: config.baseUrl });
  log.info({ origin }, 'the log begins');
  return true;
}

async function follow(
  ctx: Context,
  tx: Tx,
  position: LogPosition,
  state: LogState,
): Promise<boolean> {
  const { events, hasMore } = await nextEvents(tx, position);
  await add(ctx, tx, state, changesOf(events));
  const last = events.at(-1);
  if (last) await storePosition(tx, followerName, last);
  return hasMore;
}

async function add(ctx: Context, tx: Tx, state: LogState, changes: Changes): Promise<void> {
  const now = ctx.now();
  const { origin } = state;
  const signers = () => readSigners(tx, { secret: ctx.config.secret, origin, now });
  await addBatch(tx, state, changes, { signers, now });
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
  const end = events.findIndex(({ transaction: id, items }, n) => {
    const isNewTransaction = n > 0 && id !== events[n - 1]!.transaction;
    if (isNewTransaction && signatures >= signaturesPerBatch) return true;
    signatures += Math.max(1, items.length);
    return false;
  });
  const batch = end === -1 ? events : events.slice(0, end);
  return { events: batch, hasMore: end !== -1 || events.length >= eventsPerBatch };
}

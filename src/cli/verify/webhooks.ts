import type { Pool, Tx } from '../../platform/db.ts';
import { isAfter, startOfLog, type LogPosition } from '../../platform/events.ts';
import { firstIdOf } from '../../platform/ids.ts';
import type { Progress } from '../command.ts';
import type { Check } from './check.ts';
import { firstUuid, lastUuid, type KeyRange } from './keys.ts';
import { pagesUpTo, type LogFacts } from './log.ts';
import { inSnapshot, followerPositions } from './snapshot.ts';
import * as queries from './webhook-queries.ts';
import type { DeliveryQuery, Pair } from './webhook-queries.ts';

interface Options {
  db: Pool;
  keptSince: Date;
  facts: LogFacts;
  petitionId: string | null;
  check: Check;
  progress: Progress;
}

/** Most deliveries are stored within this time after their event. */
const usualLagMs = 5 * 60_000;
/** A delivery may seem this much older than its event, which has the start time of its transaction, or if clocks differ. */
const usualEarlinessMs = 60_000;

/** Checks that each handled event has one delivery for each endpoint, as far as that is certain. */
export async function checkDeliveries(options: Options): Promise<void> {
  const { db, keptSince: since, facts, petitionId, check, progress } = options;
  const bounds = await inSnapshot(db, boundsOf);
  if (!bounds) return;
  const updates = [...facts.updates.values()];
  for await (const range of pagesUpTo(db, bounds.to, bounds.after)) {
    const { expected, missing, doubled } = await compare(db, { range, since, petitionId, updates });
    check.addChecked(expected);
    check.addManyWrong(missing.length, missing.map(describe('no delivery')));
    check.addManyWrong(doubled.length, doubled.map(describe('two deliveries')));
    progress.show(`${check.lookedAt} deliveries`);
  }
}

const describe = (what: string) => (pair: Pair) =>
  `event ${pair.event_id} has ${what} to endpoint ${pair.endpoint_id}`;

/** The part of the log that the follower is known to have handled; undefined without endpoints. */
async function boundsOf(tx: Tx): Promise<KeyRange<LogPosition> | undefined> {
  if (!(await queries.hasActiveEndpoints(tx))) return undefined;
  const to = (await followerPositions(tx)).get('webhooks');
  const first = await queries.firstHandledPosition(tx);
  if (!to || !first || isAfter(first, to)) return undefined;
  // Includes the first one.
  const position = String(BigInt(first.position) - 1n);
  return { after: { ...startOfLog, ...first, position }, to };
}

/** Looks for deliveries near the time of their events, and then everywhere if some are missing. */
async function compare(db: Pool, query: DeliveryQuery) {
  const times = await inSnapshot(db, (tx) => queries.timeRangeOf(tx, query.range));
  if (!times) return { expected: 0, missing: [], doubled: [] };
  const near = {
    from: firstIdOf(new Date(times.first.getTime() - usualEarlinessMs)),
    to: firstIdOf(new Date(times.last.getTime() + usualLagMs)),
  };
  const found = await compareWithin(db, query, near);
  if (found.missing.length === 0) return found;
  return compareWithin(db, query, { from: firstUuid, to: lastUuid });
}

const compareWithin = (db: Pool, query: DeliveryQuery, ids: { from: string; to: string }) =>
  inSnapshot(db, async (tx) => {
    const expected = await queries.expectedDeliveries(tx, query);
    const stored = await queries.storedDeliveries(tx, query, ids);
    const keyOf = ({ endpoint_id, event_id }: Pair) => `${endpoint_id} ${event_id}`;
    const keys = new Set(stored.map(keyOf));
    return {
      expected: expected.length,
      missing: expected.filter((pair) => !keys.has(keyOf(pair))),
      doubled: stored.filter(({ doubled }) => doubled),
    };
  });

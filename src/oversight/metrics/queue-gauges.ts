import type { Context } from '../../platform/context.ts';
import { registerDatabaseGauge } from '../../platform/gauges.ts';
import { readModerationQueue, type WaitingKind } from './queries.ts';

/** Larger numbers are not counted further. */
const maxItems = 10_000;

/** Adds gauges of what waits for moderators. They have no value while the database is unavailable. */
export function registerModerationGauges({ cache, metrics, pools }: Context): void {
  const read = () =>
    cache.read('moderation-queue', 'all', () => readModerationQueue(pools.replica, maxItems));
  const register = (name: string, help: string, valueOf: (waiting: WaitingKind) => number) =>
    registerDatabaseGauge(metrics, {
      name,
      help,
      label: 'kind',
      read,
      valueOf: (waiting) => ({ label: waiting.kind, value: valueOf(waiting) }),
    });
  register(
    'moderation_queue_items',
    'Open reports, petitions under review, open complaints and changed texts, at most 10,000 of each',
    ({ items }) => items,
  );
  register(
    'moderation_queue_oldest_seconds',
    'How long the oldest of them waits; 0 if none does',
    ({ oldest_at: since }) => (since ? Math.max(0, (Date.now() - since.getTime()) / 1000) : 0),
  );
}

import { Gauge } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import { isDatabaseUnavailable, withDeadline } from '../../platform/db.ts';
import { readModerationQueue, type WaitingKind } from './queries.ts';

/** Larger numbers are not counted further. */
const maxItems = 10_000;
/** Other figures must not wait for these. */
const readTimeoutMs = 1000;

/** Adds gauges of what waits for moderators. They have no value while the database is unavailable. */
export function registerModerationGauges({ cache, metrics, pools }: Context): void {
  const read = () =>
    cache.read('moderation-queue', 'all', () =>
      withDeadline(readTimeoutMs, () => readModerationQueue(pools.replica, maxItems)),
    );
  const register = (name: string, help: string, valueOf: (waiting: WaitingKind) => number) => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers: [metrics],
      collect: async () => {
        const queue = await read().catch(noneIfUnavailable);
        gauge.reset();
        for (const waiting of queue) gauge.set({ kind: waiting.kind }, valueOf(waiting));
      },
    });
  };
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

function noneIfUnavailable(error: unknown): WaitingKind[] {
  if (isDatabaseUnavailable(error)) return [];
  throw error;
}

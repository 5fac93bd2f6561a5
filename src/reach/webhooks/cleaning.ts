import type { Context } from '../../platform/context.ts';
import { deleteEventsBefore } from '../../platform/events.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { retentionMs } from '../../platform/retention.ts';
import * as queries from './cleaning-queries.ts';

/** Rows per statement. */
const batchSize = 5000;

/** Deletes expired events, payloads and deliveries, and the rest of deleted endpoints. */
export async function cleanWebhooks({ db }: Context): Promise<void> {
  const before = new Date(Date.now() - retentionMs('events'));
  const firstKept = firstIdOf(before);
  await inBatches(() => queries.deleteDeliveriesBefore(db, firstKept, batchSize));
  await inBatches(() => queries.deletePayloadsBefore(db, firstKept, batchSize));
  await inBatches(() => deleteEventsBefore(db, before, batchSize));
  await inBatches(() => queries.deleteOrphanedDeliveries(db, batchSize));
  await queries.deleteOrphanedEndpoints(db);
}

/** Repeats a deletion until it finds less than a full batch. */
async function inBatches(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) === batchSize);
}

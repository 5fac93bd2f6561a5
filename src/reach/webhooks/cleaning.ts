import type { Context } from '../../platform/context.ts';
import { firstIdOf } from '../../platform/ids.ts';
import * as queries from './cleaning-queries.ts';

/** How long events, and what was sent of them, are kept. */
export const keptDays = 30;
/** Rows of one statement. */
const batch = 5000;

/** Removes what is older than the history that is kept, and what is left of deleted endpoints. */
export async function cleanWebhooks({ db }: Context): Promise<void> {
  const before = new Date(Date.now() - keptDays * 24 * 3600 * 1000);
  const firstKept = firstIdOf(before);
  await inBatches(() => queries.deleteDeliveriesBefore(db, firstKept, batch));
  await inBatches(() => queries.deletePayloadsBefore(db, firstKept, batch));
  await inBatches(() => queries.deleteEventsBefore(db, before, batch));
  await inBatches(() => queries.deleteDeliveriesOfNobody(db, batch));
  await queries.deleteEndpointsOfNobody(db);
}

/** Until there is less than a batch to remove. */
async function inBatches(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) === batch);
}

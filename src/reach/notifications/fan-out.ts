import { transaction, type Pool } from '../../platform/db.ts';
import type { SteppedWork } from '../../platform/workers.ts';
import * as queries from './fan-out-queries.ts';
import { notifySigners } from './notify-queries.ts';

/**
 * Signers told by one transaction. Fewer keep a core for a shorter time, but cost a worker more round
 * trips: on a busy machine with 2 cores, 25 at a time took 0.3 to 0.9 ms each, 100 at a time 0.1 to 0.4.
 */
const stepSize = 50;

/**
 * Tells notices to the signers of petitions, a stretch at a time. Each step is one transaction that
 * also keeps the place, so everybody is told once whatever process dies; the fan-out that waited
 * longest goes next, so that a small one is not held up by a large one.
 */
export const fanOut = (db: Pool): SteppedWork => ({
  name: 'notification fan-out',
  idleMilliseconds: 250,
  gentle: true,
  step: () =>
    transaction(db, async (tx) => {
      const taken = await queries.takeFanOut(tx);
      if (!taken) return false;
      await queries.commitWithoutWaiting(tx);
      if (taken.pointless) {
        await queries.endFanOut(tx, taken.noticeId);
        return true;
      }
      const lastId = await queries.endOfRange(tx, taken, stepSize);
      await notifySigners(tx, { ...taken, lastId });
      if (lastId) await queries.advanceFanOut(tx, taken.noticeId, lastId);
      else await queries.endFanOut(tx, taken.noticeId);
      return true;
    }),
});

import { transaction, type Pool } from '../../platform/db.ts';
import type { SteppedWorkOptions } from '../../platform/workers.ts';
import * as queries from './fan-out-queries.ts';
import { notifyFollowers, notifySigners } from './notify-queries.ts';

/**
 * Signers per transaction. Smaller steps hold a core for a shorter time but need more round trips: on a
 * busy machine with 2 cores, steps of 25 took 0.3 to 0.9 ms per signer, steps of 100 took 0.1 to 0.4.
 */
const stepSize = 50;

/**
 * Notifies the signers or followers of petitions in steps. Each step is one transaction that also stores the
 * position, so each of them is notified once even if a process dies. The fan-out that waited longest
 * goes next, so that large ones do not hold up small ones.
 */
export const fanOut = (db: Pool): SteppedWorkOptions => ({
  name: 'notification fan-out',
  idleMs: 250,
  isThrottled: true,
  step: () =>
    transaction(db, async (tx) => {
      const taken = await queries.takeFanOut(tx);
      if (!taken) return false;
      await queries.commitWithoutWaiting(tx);
      if (taken.obsolete) {
        await queries.endFanOut(tx, taken.noticeId);
        return true;
      }
      const lastId = await queries.endOfRange(tx, taken, stepSize);
      const notify = taken.audience === 'followers' ? notifyFollowers : notifySigners;
      await notify(tx, { ...taken, lastId });
      if (lastId) await queries.advanceFanOut(tx, taken.noticeId, lastId);
      else await queries.endFanOut(tx, taken.noticeId);
      return true;
    }),
});

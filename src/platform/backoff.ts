import { setTimeout as sleep } from 'node:timers/promises';

const longestRetryMs = 30_000;

/** Sleeps for so long, or until the signal aborts. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** Sleeps after so many failures in a row: twice as long after each, from half a second to half a minute. */
export const backOff = (failures: number, signal: AbortSignal): Promise<void> =>
  sleepUnlessAborted(Math.min(2 ** failures * 250, longestRetryMs), signal);

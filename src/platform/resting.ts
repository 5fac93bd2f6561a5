import { setTimeout as sleep } from 'node:timers/promises';

const longestRetryMilliseconds = 30_000;

/** Waits so long, or until it is to stop. */
export async function rest(milliseconds: number, stopping: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stopping }).catch(() => {});
}

/** Waits after so many failures in a row, twice as long after each: half a second to half a minute. */
export const restAfter = (failures: number, stopping: AbortSignal): Promise<void> =>
  rest(Math.min(2 ** failures * 250, longestRetryMilliseconds), stopping);

import { setTimeout as sleep } from 'node:timers/promises';

const maxRetryMs = 30_000;

/** Sleeps, or returns early when the signal aborts. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** The pause after consecutive failures: 0.5 s after the first, twice as long after each next, at most 30 s. */
export const retryDelayMs = (failures: number): number => Math.min(2 ** failures * 250, maxRetryMs);

/** Sleeps after consecutive failures, for `retryDelayMs`. */
export const sleepAfterFailures = (failures: number, signal: AbortSignal): Promise<void> =>
  sleepUnlessAborted(retryDelayMs(failures), signal);

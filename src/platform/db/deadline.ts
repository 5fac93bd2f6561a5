import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailable } from './errors.ts';

interface Deadline {
  /** By the clock of performance.now(), in milliseconds. */
  at: number;
}

const current = new AsyncLocalStorage<Deadline>();

/** A statement whose deadline passes fails by itself; work that waits for another's has so much longer to do so. */
const graceMs = 500;

/**
 * Runs the work with a deadline for the database: its statements end by then, whatever the server does, and so does
 * the wait for it. What the work leaves running goes on with the limits of its pool.
 * @throws {DatabaseUnavailable} where the deadline passes
 */
export async function withDeadline<T>(timeoutMs: number, work: () => T | Promise<T>): Promise<T> {
  // Within another deadline, the earlier one holds.
  const leftMs = Math.min(timeoutMs, remainingMs());
  if (leftMs === Infinity) return work();
  const deadline: Deadline = { at: performance.now() + leftMs };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DatabaseUnavailable('The deadline passed.', { code: 'DEADLINE' })),
    leftMs + graceMs,
  );
  try {
    const working = current.run(deadline, async () => work());
    return await Promise.race([working, late.promise]);
  } finally {
    clearTimeout(timer);
    deadline.at = Infinity;
  }
}

/** Milliseconds that are left for the work under way; Infinity where it has no deadline. */
export function remainingMs(): number {
  const deadline = current.getStore();
  return deadline === undefined ? Infinity : deadline.at - performance.now();
}

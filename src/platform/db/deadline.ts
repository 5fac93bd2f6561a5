import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailable } from './errors.ts';

interface Deadline {
  /** By performance.now(). */
  at: number;
}

const current = new AsyncLocalStorage<Deadline>();

/** Extra time for work that waits for other work: a statement itself fails at the deadline. */
const graceMs = 500;

/**
 * Runs the work with a deadline for the database. Its statements end by then even if the server does not answer, and
 * so does the wait for it. Work left running afterwards has the timeouts of its pool.
 * @throws {DatabaseUnavailable} if the deadline passes
 */
export async function withDeadline<T>(timeoutMs: number, work: () => T | Promise<T>): Promise<T> {
  // Of nested deadlines the earlier one counts.
  const delayMs = Math.min(timeoutMs, remainingMs());
  if (delayMs === Infinity) return work();
  const deadline: Deadline = { at: performance.now() + delayMs };
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new DatabaseUnavailable('The deadline passed.', { code: 'DEADLINE' })),
    delayMs + graceMs,
  );
  try {
    const working = current.run(deadline, async () => work());
    return await Promise.race([working, timeout.promise]);
  } finally {
    clearTimeout(timer);
    deadline.at = Infinity;
  }
}

/** Milliseconds until the deadline of the current work; Infinity if it has none. */
export function remainingMs(): number {
  const deadline = current.getStore();
  return deadline === undefined ? Infinity : deadline.at - performance.now();
}

import { invalidValue } from '../../platform/problems.ts';
import type { Days } from './queries.ts';

const dayMs = 86_400_000;

/** Returns the UTC day of a time as YYYY-MM-DD. */
export const dayOf = (time: Date) => time.toISOString().slice(0, 10);

export const addDays = (day: string, days: number) =>
  dayOf(new Date(Date.parse(day) + days * dayMs));

/**
 * Returns the requested days, with defaults, within the first default day and today. If none is left, the
 * result's `last` is before its `first`.
 * @throws {Problem} validation-failed if end_date is before start_date
 */
export function requestedDays(
  { start_date: start, end_date: end }: { start_date?: string; end_date?: string },
  defaults: Days,
  today: string,
): Days {
  if (start !== undefined && end !== undefined && start > end) {
    throw invalidValue('end_date', 'This must not be before start_date.');
  }
  const from = start !== undefined && start > defaults.first ? start : defaults.first;
  // A start after the default end asks for the days after it.
  const to = end ?? (from > defaults.last ? today : defaults.last);
  const last = to < today ? to : today;
  return { first: from, last: last < from ? addDays(from, -1) : last };
}

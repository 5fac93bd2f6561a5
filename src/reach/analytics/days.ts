import { invalidValue } from '../../platform/problems.ts';
import type { Days } from './queries.ts';

const dayMilliseconds = 86_400_000;

/** The day of a time, in UTC. */
export const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** So many days later. */
export const daysLater = (day: string, days: number) =>
  dayOf(new Date(Date.parse(day) + days * dayMilliseconds));

/**
 * The days that were asked for, and where nothing is said the usual ones: none before the first of these,
 * and none after today. No days, which end before they begin, where there are no such.
 * @throws {Problem} validation-failed where they end before they begin
 */
export function chosenDays(
  { start_date: start, end_date: end }: { start_date?: string; end_date?: string },
  usual: Days,
  today: string,
): Days {
  if (start !== undefined && end !== undefined && start > end) {
    throw invalidValue('end_date', 'This must not be before start_date.');
  }
  const from = start !== undefined && start > usual.first ? start : usual.first;
  // Who begins after the usual end asks for what came after it.
  const to = end ?? (from > usual.last ? today : usual.last);
  const last = to < today ? to : today;
  return { first: from, last: last < from ? daysLater(from, -1) : last };
}

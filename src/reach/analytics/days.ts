import { invalidValue } from '../../platform/problems.ts';
import type { Days } from './queries.ts';

const dayMilliseconds = 86_400_000;

/** The day of a time, in UTC. */
export const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** So many days later. */
export const daysLater = (day: string, days: number) =>
  dayOf(new Date(Date.parse(day) + days * dayMilliseconds));

/** How many days there are in it. */
export const lengthOf = ({ first, last }: Days) =>
  (Date.parse(last) - Date.parse(first)) / dayMilliseconds + 1;

/**
 * The days that were asked for and are within the others; none, which end before they begin, where
 * there are no such.
 * @throws {Problem} validation-failed where they end before they begin
 */
export function chosenDays(
  { start_date: start, end_date: end }: { start_date?: string; end_date?: string },
  { first, last }: Days,
): Days {
  if (start !== undefined && end !== undefined && start > end) {
    throw invalidValue('end_date', 'This must not be before start_date.');
  }
  const from = start !== undefined && start > first ? start : first;
  const to = end !== undefined && end < last ? end : last;
  return { first: from, last: to < from ? daysLater(from, -1) : to };
}

import { invalidValue } from '../problems.ts';

/**
 * Parses a date-time of a request.
 * @throws {Problem} validation-failed for a leap second, which RFC 3339 allows and JavaScript cannot represent
 */
export function parseDateTime(field: string, text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw invalidValue(field, 'There is no such moment.');
}

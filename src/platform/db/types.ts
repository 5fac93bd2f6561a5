import { types as pgTypes } from 'pg';

/** OIDs of pg_type whose values are read otherwise than `pg` does by default. */
const [date, timestamp, timestamptz, interval] = [1082, 1114, 1184, 1186];
const [dateArray, timestampArray, timestamptzArray] = [1182, 1115, 1185];

type ParserOf = (oid: number, format?: 'text' | 'binary') => (text: string) => unknown;
const parserOf = pgTypes.getTypeParser as ParserOf;

const asDate = (text: string): Date => new Date(text);
const readTextArray = parserOf(1009, 'text') as (text: string) => (string | null)[];
const asDates = (text: string): (Date | null)[] =>
  readTextArray(text).map((one) => (one === null ? null : asDate(one)));
const asText = (text: string): string => text;

const parsers = new Map<number, (text: string) => unknown>([
  [date, asDate],
  [timestamp, asDate],
  [timestamptz, asDate],
  [interval, asText],
  [dateArray, asDates],
  [timestampArray, asDates],
  [timestamptzArray, asDates],
]);

/**
 * How values are read: dates and times as Date (a date is its midnight in UTC), bigint and numeric as text,
 * since numbers of JavaScript do not hold them all, json parsed, and the rest as `pg` does.
 */
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? parserOf(oid, format),
};

/** A parameter in a form that `pg` sends unchanged or turns into an array literal. */
export function serialize(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(serialize);
  return value;
}

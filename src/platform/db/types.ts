import { types as pgTypes } from 'pg';
import { parse } from 'postgres-array';

/** OIDs of types that are parsed differently from the defaults of `pg`. */
const [date, timestamp, timestamptz, interval] = [1082, 1114, 1184, 1186];
const [dateArray, timestampArray, timestamptzArray] = [1182, 1115, 1185];
const [textArray, varcharArray, uuidArray] = [1009, 1015, 2951];

type ParserOf = (oid: number, format?: 'text' | 'binary') => (text: string) => unknown;
const parserOf = pgTypes.getTypeParser as ParserOf;

const asDate = (text: string): Date => new Date(text);
/** A newer version of the parser that `pg` uses: 5 times faster, as measured with tags. */
const asTexts = (text: string): (string | null)[] => parse(text);
const asDates = (text: string): (Date | null)[] =>
  asTexts(text).map((one) => (one === null ? null : asDate(one)));
const asText = (text: string): string => text;

const parsers = new Map<number, (text: string) => unknown>([
  [date, asDate],
  [timestamp, asDate],
  [timestamptz, asDate],
  [interval, asText],
  [dateArray, asDates],
  [timestampArray, asDates],
  [timestamptzArray, asDates],
  [textArray, asTexts],
  [varcharArray, asTexts],
  [uuidArray, asTexts],
]);

/**
 * Parsers of values: dates and times become Date (a date is its midnight in UTC), bigint and numeric stay text, since
 * JavaScript numbers cannot hold them all, json is parsed, and other types have the defaults of `pg`.
 */
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? parserOf(oid, format),
};

/** Converts a parameter to a value that `pg` sends unchanged or as an array literal. */
export function serialize(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(serialize);
  return value;
}

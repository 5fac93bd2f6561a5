import { defaultLimit } from './http/schema.ts';
import { parseDateTime } from './http/times.ts';
import { firstIdOf, idToleranceMs } from './ids.ts';
import { invalidRequest } from './problems.ts';

/** The sort keys of the last row of a page. */
export type CursorKeys = (string | number)[];

/**
 * Encodes an opaque cursor (docs/specification/requests.md, Lists): base64url of the list's name and the last row's
 * sort keys. The next page starts there by an index, at any depth.
 */
export function encodeCursor(list: string, keys: CursorKeys): string {
  return Buffer.from(JSON.stringify([list, ...keys])).toString('base64url');
}

/** `uuids` are any number of UUIDs separated by commas. */
export type KeyKind = 'time' | 'number' | 'integer' | 'uuid' | 'uuids' | 'text';

/**
 * Decodes the sort keys of a cursor of this list. Returns null without a cursor.
 * @throws {Problem} invalid-request if the cursor is malformed or of another list
 */
export function decodeCursor(
  list: string,
  kinds: KeyKind[],
  cursor: string | undefined,
): CursorKeys | null {
  if (cursor === undefined) return null;
  const keys = parse(cursor);
  const isValid =
    keys?.length === kinds.length + 1 &&
    keys[0] === list &&
    kinds.every((kind, index) => checks[kind](keys[index + 1]));
  if (!isValid) {
    throw invalidRequest(
      'The cursor was not issued for this list. Pass next_cursor of the page before, unchanged, with the same sort.',
    );
  }
  return keys.slice(1) as CursorKeys;
}

function parse(cursor: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const time = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const checks: Record<KeyKind, (value: unknown) => boolean> = {
  time: (value) =>
    typeof value === 'string' && time.test(value) && !Number.isNaN(Date.parse(value)),
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31,
  uuid: (value) => typeof value === 'string' && uuid.test(value),
  // Texts that PostgreSQL can store.
  text: (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed(),
  uuids: (value) =>
    typeof value === 'string' && (value === '' || value.split(',').every((id) => uuid.test(id))),
};

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Query parameters of a list. */
export interface PageQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** Query parameters of a list that is selected by the time of creation, too. Both are exclusive. */
export interface CreatedPageQuery extends PageQuery {
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** Returns rows in descending order of ids. Gets the id to start before, if any, and a limit. */
type ReadById<Row> = (before: string | null, limit: number) => Promise<Row[]>;

/**
 * Returns a page of rows in descending order of ids.
 * @throws {Problem} validation-failed for a time that does not exist
 */
export async function pageById<Row extends { id: string; created_at?: Date | string }, T = Row>(
  list: string,
  { cursor, limit = defaultLimit, ...times }: CreatedPageQuery,
  read: ReadById<Row>,
  present: (row: Row) => T,
): Promise<Page<T>> {
  const after = decodeCursor(list, ['uuid'], cursor);
  const before = after ? String(after[0]) : null;
  const rows = await readCreated(read, times, before, limit + 1);
  return toPage(rows, limit, (row) => encodeCursor(list, [row.id]), present);
}

/** Rows that are read at once to skip those whose id is near a time that they were not created in. */
const skippedRows = 500;

/** Reads rows by the time of creation. Ids, which contain the time, say where to begin and end; `created_at` decides. */
async function readCreated<Row extends { id: string; created_at?: Date | string }>(
  read: ReadById<Row>,
  times: Pick<CreatedPageQuery, 'created_after' | 'created_before'>,
  before: string | null,
  limit: number,
): Promise<Row[]> {
  const { after, before: end, firstId = '', endId = null } = createdRange(times);
  if (!after && !end) return read(before, limit);
  let start = before === null || (endId !== null && endId < before) ? endId : before;
  const rows: Row[] = [];
  for (let count = limit; ; count = skippedRows) {
    const found = await read(start, count);
    for (const row of found) {
      const created = new Date(row.created_at!);
      if ((!after || created > after) && (!end || created < end)) rows.push(row);
    }
    const last = found.at(-1);
    const isEnd = found.length < count || !last || last.id < firstId;
    if (isEnd || rows.length >= limit) return rows.slice(0, limit);
    start = last.id;
  }
}

/** Times between which rows were created, and between which their ids are. */
export interface CreatedRange {
  /** Exclusive. */
  after?: Date;
  /** Exclusive. */
  before?: Date;
  /** No id that is lower belongs to the range. */
  firstId?: string;
  /** No id from this one on belongs to the range. */
  endId?: string;
}

/**
 * Parses the times of a query.
 * @throws {Problem} validation-failed for a time that does not exist
 */
export function createdRange({
  created_after,
  created_before,
}: Pick<CreatedPageQuery, 'created_after' | 'created_before'>): CreatedRange {
  const range: CreatedRange = {};
  if (created_after !== undefined) {
    range.after = parseDateTime('created_after', created_after);
    range.firstId = firstIdOf(new Date(range.after.getTime() - idToleranceMs));
  }
  if (created_before !== undefined) {
    range.before = parseDateTime('created_before', created_before);
    range.endId = firstIdOf(new Date(range.before.getTime() + idToleranceMs));
  }
  return range;
}

/**
 * A page ends after rows with as many characters: 100 petitions of the longest description are 5 MB, which keep a core
 * busy for 30 ms.
 */
const maxPageCharacters = 2_000_000;

/** Returns how many of the rows are shown: at least one, if there are any. */
function shownCount(rows: readonly unknown[], limit: number): number {
  let characters = 0;
  const end = rows.slice(0, limit).findIndex((row) => {
    for (const value of Object.values(row as object)) {
      if (typeof value === 'string') characters += value.length;
    }
    return characters > maxPageCharacters;
  });
  return end < 0 ? limit : Math.max(end, 1);
}

/** Turns rows read with `limit + 1` into a page. The extra row only shows that there are more. */
export function toPage<Row, T>(
  rows: Row[],
  limit: number,
  cursorOf: (last: Row) => string,
  present: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, shownCount(rows, limit));
  const last = shown.at(-1);
  return {
    items: shown.map(present),
    nextCursor: rows.length > shown.length && last !== undefined ? cursorOf(last) : null,
  };
}

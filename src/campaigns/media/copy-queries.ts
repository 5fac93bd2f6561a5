import type { Db, Tx } from '../../platform/db.ts';
import type { Variant } from './pictures.ts';
import type { MediaRow } from './queries.ts';

export interface CopyRow {
  url: string;
  token: string;
  status: 'wanted' | 'ready' | 'failed';
  /** Why there is no copy, in words for people. */
  failure: string | null;
  variants: MediaRow['variants'];
  /** Attempts that failed and may succeed later. */
  attempts: number;
}

const columns = (db: Db) => db`url, token, status, failure, variants, attempts`;

const hash = (db: Db, url: string) => db`sha256(convert_to(${url}, 'UTF8'))`;

const hashes = (db: Db, urls: string[]) =>
  db`array(select sha256(convert_to(given, 'UTF8')) from unnest(${urls}::text[]) given)`;

/**
 * Returns the copy of an address; inserts it under the token if there is none, and begins again with one that failed. Waits
 * for a transaction that deletes it.
 */
export async function beginCopy(db: Db, url: string, token: string): Promise<CopyRow> {
  return db.one<CopyRow>`
    insert into picture_copies as copy (url_hash, url, token) values (${hash(db, url)}, ${url}, ${token})
    on conflict (url_hash) do update set
      status = case copy.status when 'failed' then 'wanted' else copy.status end,
      attempts = case copy.status when 'failed' then 0 else copy.attempts end,
      failure = null, updated_at = now()
    returning ${columns(db)}`;
}

/** Marks a copy as ready. Returns false if it was deleted meanwhile. */
export async function markCopyReady(db: Db, token: string, variants: Variant[]): Promise<boolean> {
  const sizes = variants.map(({ size, width, height }) => ({ size, width, height }));
  return db.changed`
    update picture_copies
    set status = 'ready', failure = null, variants = ${db.json(sizes)}, updated_at = now()
    where token = ${token}`;
}

/** Gives a copy up, unless another worker has made it ready. */
export async function markCopyFailed(db: Db, token: string, failure: string): Promise<void> {
  await db`
    update picture_copies set status = 'failed', failure = ${failure}, updated_at = now()
    where token = ${token} and status = 'wanted'`;
}

/** Counts an attempt that may succeed later. Returns their number; undefined if the copy is no longer wanted. */
export async function countAttempt(db: Db, token: string): Promise<number | undefined> {
  return db.value<number | undefined>`
    update picture_copies set attempts = attempts + 1, updated_at = now()
    where token = ${token} and status = 'wanted'
    returning attempts`;
}

/** Returns the copies of these addresses that are ready. */
export async function findReadyCopies(db: Db, urls: string[]): Promise<CopyRow[]> {
  return db<CopyRow[]>`
    select ${columns(db)} from picture_copies
    where url_hash = any(${hashes(db, urls)}) and status = 'ready'`;
}

/** Returns those of the addresses that nobody has asked the copy of. */
export async function findUnknown(db: Db, urls: string[]): Promise<string[]> {
  return db.column<string>`
    select given from unnest(${urls}::text[]) given
    where not exists (
      select from picture_copies where url_hash = sha256(convert_to(given, 'UTF8')))`;
}

/** Locks and returns copies by their addresses. */
export async function lockCopies(tx: Tx, urls: string[]): Promise<CopyRow[]> {
  return tx<CopyRow[]>`
    select ${columns(tx)} from picture_copies where url_hash = any(${hashes(tx, urls)})
    order by url_hash for update`;
}

/** Locks and returns the next copies by their key, in hexadecimal. */
export async function lockNextCopies(
  tx: Tx,
  after: string,
  limit: number,
): Promise<(CopyRow & { key: string })[]> {
  return tx<(CopyRow & { key: string })[]>`
    select ${columns(tx)}, encode(url_hash, 'hex') as key from picture_copies
    where url_hash > decode(${after}, 'hex') order by url_hash limit ${limit} for update`;
}

export async function deleteCopies(tx: Tx, tokens: string[]): Promise<void> {
  await tx`delete from picture_copies where token = any(${tokens})`;
}

const pageSize = 1000;

/** Reads all copies that are ready. */
export async function* eachReadyCopy(db: Db): AsyncGenerator<CopyRow> {
  let after = '';
  for (;;) {
    const rows: CopyRow[] = await db<CopyRow[]>`
      select ${columns(db)} from picture_copies
      where status = 'ready' and token > ${after}
      order by token limit ${pageSize}`;
    yield* rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.token;
  }
}

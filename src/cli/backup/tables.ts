import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { createSql, type Sql } from '../../platform/db/sql.ts';
import { serialize } from '../../platform/db/types.ts';
import type { SealedKeys } from '../../platform/sealed-keys.ts';

/** A table, with the columns that hold data of their own. */
export interface Table {
  /** With its schema, as SQL takes it. */
  name: string;
  columns: string[];
}

export interface Sequence {
  name: string;
  /** As text, since it can exceed 2^53. */
  lastValue: string;
}

/** The schemas of the service and of its job queue. */
const schemas = ['public', 'graphile_worker'];
/** Which migrations were applied is known otherwise. */
const leftOut = new Set(['migrations', 'graphile_worker.migrations']);

/** How long a part of a table is at most, in bytes, but for a longer row. */
const partBytes = 4 * 2 ** 20;

/** Settings that give the same text on every server. */
const copySettings = `
  set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local extra_float_digits = 3;
  set local timezone = 'UTC'; set local bytea_output = 'hex'; set local statement_timeout = 0`;

/** Modes of a transaction: one that sees one moment and changes nothing, and an ordinary one. */
type Mode = 'isolation level repeatable read read only' | 'read write';

/** Runs the work in a transaction. `withClient` ends it after an error. */
async function inTransaction<T>(
  client: ClientBase,
  mode: Mode,
  work: () => Promise<T>,
): Promise<T> {
  await client.query(`begin ${mode}`);
  await client.query(copySettings);
  const result = await work();
  await client.query('commit');
  return result;
}

/** Runs the work on what the database is at one moment. */
export const inSnapshot = <T>(client: ClientBase, work: () => Promise<T>): Promise<T> =>
  inTransaction(client, 'isolation level repeatable read read only', work);

/** Runs the statements of a slice on the connection, in its transaction. */
export const sqlOn = (client: ClientBase): Sql =>
  createSql(async ({ text, parameters }) => {
    const { rows, rowCount } = await client.query(text, parameters.map(serialize));
    return Object.assign(rows, { count: rowCount ?? 0 });
  });

/** Returns the names of the applied migrations, in order. */
export async function readMigrations(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from migrations order by name',
  );
  return rows.map(({ name }) => name);
}

/** Lists the tables of the service; without those of extensions. */
export async function listTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.oid::regclass::text as name,
       array_agg(quote_ident(a.attname) order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and n.nspname = any ($1::text[])
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     group by c.oid
     order by 1`,
    [schemas],
  );
  return rows.filter(({ name }) => !leftOut.has(name));
}

/** Lists the sequences that were used. */
export async function listSequences(client: ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as "lastValue"
     from pg_sequences where schemaname = any ($1::text[]) and last_value is not null
     order by 1`,
    [schemas],
  );
  return rows;
}

const copyText = ({ name, columns }: Table): string => `${name} (${columns.join(', ')})`;

/** Reads a table in parts. Returns the number of rows. */
export async function copyOut(
  client: ClientBase,
  table: Table,
  onPart: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  const stream = client.query(copyTo(`copy ${copyText(table)} to stdout`));
  let chunks: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    rows += countLineFeeds(chunk);
    if (bytes < partBytes) continue;
    await onPart(Buffer.concat(chunks));
    chunks = [];
    bytes = 0;
  }
  if (bytes > 0) await onPart(Buffer.concat(chunks));
  return rows;
}

/** Each row ends with a line feed, and has no other. (The stream ends before the server says how many rows there were.) */
function countLineFeeds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}

/** Takes the rows of a table, part by part. */
export interface TableWriter {
  write(bytes: Buffer): Promise<void>;
  /** Returns the number of rows. */
  end(): Promise<number>;
}

/** Begins to fill a table. The connection must not be used otherwise until its end. */
export function copyIn(client: ClientBase, table: Table): TableWriter {
  const stream = client.query(copyFrom(`copy ${copyText(table)} from stdin`));
  let failure: Error | undefined;
  stream.once('error', (error) => {
    failure = error;
  });
  return {
    write: async (bytes) => {
      if (failure) throw failure;
      if (!stream.write(bytes)) await once(stream, 'drain');
    },
    end: async () => {
      if (failure) throw failure;
      stream.end();
      await finished(stream);
      return stream.rowCount;
    },
  };
}

/**
 * Empties all tables and fills them by `load`, in one transaction. Foreign keys and triggers are off meanwhile: the rows
 * come table by table, and what triggers did is among them.
 */
export async function replaceRows(client: ClientBase, load: () => Promise<void>): Promise<void> {
  await inTransaction(client, 'read write', async () => {
    const foreignKeys = await listForeignKeys(client);
    const names = (await listTables(client)).map(({ name }) => name);
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    for (const { table, name } of foreignKeys) {
      await client.query(`alter table ${table} drop constraint ${name}`);
    }
    // Those too that the backup does not know: a migration may have put rows there.
    await client.query(`truncate ${names.join(', ')}`);
    await load();
    for (const { table, name, definition } of foreignKeys) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  });
  await client.query('analyze');
}

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

async function listForeignKeys(client: ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name,
       pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = any ($1::regnamespace[])
     order by 1, 2`,
    [schemas],
  );
  return rows;
}

/** Sets sequences to where they were. */
export async function setSequences(client: ClientBase, sequences: Sequence[]): Promise<void> {
  for (const { name, lastValue } of sequences) {
    await client.query('select setval($1::regclass, $2::bigint)', [name, lastValue]);
  }
}

export async function readSealedKeys(client: ClientBase): Promise<SealedKeys> {
  const { rows } = await client.query<{ name: string; sealed: Buffer }>(
    'select name, sealed from sealed_keys',
  );
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

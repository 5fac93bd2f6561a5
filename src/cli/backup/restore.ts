import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { secretFiles } from '../../config.ts';
import type { Blobs } from '../../platform/blobs.ts';
import { migrate, migrationNames } from '../../platform/migrate.ts';
import { openAll } from '../../platform/sealed-keys.ts';
import { version } from '../../platform/version.ts';
import { CommandError, type Progress } from '../command.ts';
import type { Entry } from './archive.ts';
import { withClient } from './connection.ts';
import { kindOf, parseJson, type End, type Manifest } from './manifest.ts';
import {
  copyIn,
  listTables,
  readMigrations,
  readSealedKeys,
  replaceRows,
  setSequences,
  type Table,
  type TableWriter,
} from './tables.ts';

/** What an archive is and holds, read through to its end. */
export interface Overview {
  manifest: Manifest;
  end: End;
  /** By name of the file. */
  secrets: Map<string, Buffer>;
}

/**
 * Reads an archive to its end, so that a damaged one is known before anything is restored.
 * @throws {CommandError} if it is incomplete, or of a newer version
 */
export async function readOverview(
  entries: AsyncIterable<Entry>,
  progress: Progress,
): Promise<Overview> {
  let manifest: Manifest | undefined;
  let end: End | undefined;
  let files = 0;
  const secrets = new Map<string, Buffer>();
  for await (const entry of entries) {
    const is = kindOf(entry.name);
    if (!manifest && is?.kind !== 'manifest') break;
    if (is?.kind === 'manifest') {
      manifest = parseJson(entry) as Manifest;
      await requireKnown(manifest);
    } else if (is?.kind === 'secret') secrets.set(is.name, entry.bytes);
    else if (is?.kind === 'file') files += 1;
    else if (is?.kind === 'end') end = parseJson(entry) as End;
    progress.show(`reading ${entry.name}`);
  }
  progress.clear();
  if (!manifest) throw new CommandError('The file is no backup of this service.');
  if (!end || files !== end.files) {
    throw new CommandError('The backup is incomplete: it was broken off when it was written.');
  }
  return { manifest, end, secrets };
}

/** @throws {CommandError} if this version lacks migrations that the backup has */
async function requireKnown({ format, migrations, version: writer }: Manifest): Promise<void> {
  const known = new Set(await migrationNames());
  const unknown = migrations.find((name) => !known.has(name));
  if (format !== 1 || unknown !== undefined) {
    throw new CommandError(
      `The backup is of version ${writer}${unknown ? ` (migration ${unknown})` : ''}, and this is ${version}: restore it with that version or a later one.`,
    );
  }
}

/**
 * Puts the secrets of a backup into DATA_DIR, except those that a setting holds.
 * @throws {CommandError} if there is another one
 */
export function restoreSecrets(
  { secrets }: Overview,
  dataDir: string,
  env: Partial<Record<string, string>>,
): void {
  for (const name of secretFiles) {
    const bytes = secrets.get(name);
    const setting = name.toUpperCase().replace('-', '_');
    if (!bytes || env[setting]) continue;
    const path = join(dataDir, name);
    if (!existsSync(path)) {
      mkdirSync(dataDir, { recursive: true });
      writeFileSync(path, bytes, { mode: 0o600, flag: 'wx', flush: true });
    } else if (!readFileSync(path).equals(bytes)) {
      throw new CommandError(
        `${path} is the secret of another instance: name an empty folder as DATA_DIR, or move it away.`,
      );
    }
  }
}

/** @throws {CommandError} if something uses the database already, or a newer version has migrated it */
export async function requireEmpty(
  databaseUrl: string,
  { manifest }: Pick<Overview, 'manifest'>,
): Promise<void> {
  await withClient(databaseUrl, 'restore', async (client) => {
    const tables = await listTables(client);
    const isMigrated = await hasTable(client, 'migrations');
    if (tables.length > 0 && !isMigrated) {
      throw new CommandError(
        `The database has tables of something else, such as ${tables[0]!.name}: name an empty one. Nothing was changed.`,
      );
    }
    const newer = isMigrated
      ? (await readMigrations(client)).find((name) => !manifest.migrations.includes(name))
      : undefined;
    if (newer !== undefined) {
      throw new CommandError(
        `The database has migration ${newer}, and the backup is from before it: name an empty database, which is migrated while the backup is restored. Nothing was changed.`,
      );
    }
    for (const table of ['users', 'petitions', 'signatures', 'audit_log']) {
      if (!(await hasTable(client, table))) continue;
      const { rows } = await client.query(`select from ${table} limit 1`);
      if (rows.length > 0) {
        throw new CommandError(
          `The database has ${table} already: a backup is restored into an empty one. Nothing was changed.`,
        );
      }
    }
  });
}

async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [`public.${name}`],
  );
  return rows[0]!.there;
}

interface Restoring {
  entries: AsyncIterable<Entry>;
  /** That must open the keys in the backup. */
  secret: string;
  progress: Progress;
}

/**
 * Fills an empty database by the tables of an archive, and brings it to the schema of this version. Either all rows are
 * there afterwards, or none.
 * @throws {SecretError} if SECRET is not the one of the backup
 */
export async function restoreDatabase(
  databaseUrl: string,
  { manifest, end }: Overview,
  { entries, secret, progress }: Restoring,
): Promise<void> {
  await migrate(databaseUrl, { only: new Set(manifest.migrations) });
  const tables = new Map(manifest.tables.map((table) => [table.name, table]));
  await withClient(databaseUrl, 'restore', async (client) => {
    await replaceRows(client, async () => {
      const rows = await loadTables(entries, tables, (table) => copyIn(client, table), progress);
      for (const { name } of manifest.tables) {
        if ((rows.get(name) ?? 0) === end.rows[name]) continue;
        throw new CommandError(`The backup is damaged: rows of ${name} are missing.`);
      }
      await setSequences(client, manifest.sequences);
      openAll(await readSealedKeys(client), secret);
    });
  });
  progress.clear();
  // Also renumbers the event log where this server is behind the one of the backup.
  await migrate(databaseUrl);
}

/** Returns the number of rows of each table that has a part. */
async function loadTables(
  entries: AsyncIterable<Entry>,
  tables: ReadonlyMap<string, Table>,
  begin: (table: Table) => TableWriter,
  progress: Progress,
): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  let open: { table: string; writer: TableWriter } | undefined;
  const finish = async () => {
    if (open) rows.set(open.table, await open.writer.end());
    open = undefined;
  };
  for await (const { name, bytes } of entries) {
    const is = kindOf(name);
    if (is?.kind === 'end') break;
    if (is?.kind !== 'part') continue;
    if (open?.table !== is.table) {
      await finish();
      const table = tables.get(is.table);
      if (!table) throw new CommandError(`The backup is damaged: nothing describes ${is.table}.`);
      open = { table: is.table, writer: begin(table) };
    }
    await open.writer.write(bytes);
    progress.show(`restoring ${name}`);
  }
  await finish();
  return rows;
}

/** Stores the pictures of an archive, and its files of the log. Returns their number. */
export async function restoreFiles(
  blobs: Blobs,
  entries: AsyncIterable<Entry>,
  progress: Progress,
): Promise<number> {
  let files = 0;
  for await (const { name, bytes } of entries) {
    const is = kindOf(name);
    if (is?.kind !== 'file') continue;
    // The types of uploads that wait to be processed do not matter, and tiles have no type of their own.
    const type = is.key.endsWith('.webp') ? 'image/webp' : 'application/octet-stream';
    await blobs.put(is.key, bytes, type);
    files += 1;
    progress.show(`restoring ${files} files`);
  }
  progress.clear();
  return files;
}

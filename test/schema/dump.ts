import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { openPool, type Pool } from '../../src/platform/db.ts';
import { toolEnvironment } from '../../src/platform/embedded-postgres/binaries.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { startInstalledCluster } from '../support/cluster.ts';
import { databaseNamed } from '../support/database.ts';
import { formatSchema } from './format.ts';

/** The file that shows the schema after all migrations. */
export const schemaFile = new URL('../../migrations/schema.sql', import.meta.url);

/** The version that writes the file: the oldest supported one. Others write some statements differently. */
const major = 15;

const head = `-- The schema after all migrations, for reading: it is never run. Comments are those that the database holds.
-- Written by \`npm run schema\` with PostgreSQL ${major}; run it after each new migration. test/schema.test.ts compares.

`;

/** A server of that version, and a pg_dump that can read it. */
export interface SchemaSource {
  pgDump: string;
  /** A running server; undefined: one is started with the programs beside pg_dump. */
  url: string | undefined;
}

/** Finds what is needed to read the schema. Returns the reason if something is missing. */
export async function findSchemaSource(
  url: string | undefined = process.env.TEST_DATABASE_URL,
): Promise<SchemaSource | string> {
  const found = await findPgDumps();
  const [newest] = found.toSorted((a, b) => b.major - a.major);
  if (url && newest && newest.major >= major && (await serverMajor(url)) === major) {
    return {
      pgDump: join((found.find((one) => one.major === major) ?? newest).folder, 'pg_dump'),
      url,
    };
  }
  const complete = found.find(
    (one) =>
      one.major === major && serverPrograms.every((name) => existsSync(join(one.folder, name))),
  );
  if (complete) return { pgDump: join(complete.folder, 'pg_dump'), url: undefined };
  return `needs pg_dump and a server of PostgreSQL ${major}: install Debian's postgresql-${major}, or pg_dump ${major} or newer and set TEST_DATABASE_URL to such a server`;
}

/** Migrates an empty database and returns its schema as in the file. */
export async function readSchema({ pgDump, url }: SchemaSource): Promise<string> {
  if (url) return head + formatSchema(await dumpMigrated(pgDump, url));
  const program = (name: string) => join(pgDump, '..', name);
  await using cluster = await startInstalledCluster({
    major: String(major),
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    postgres: program('postgres'),
  });
  return head + formatSchema(await dumpMigrated(pgDump, cluster.superuserUrl));
}

const run = promisify(execFile);
const serverPrograms = ['initdb', 'pg_ctl', 'postgres'];

/** The folders with a pg_dump: where packages of Debian and Red Hat have it, and those of PATH. */
async function findPgDumps(): Promise<{ folder: string; major: number }[]> {
  const packaged = [`/usr/lib/postgresql/${major}/bin`, `/usr/pgsql-${major}/bin`];
  const found = [];
  for (const folder of [...packaged, ...(process.env.PATH ?? '').split(delimiter)]) {
    const program = join(folder, 'pg_dump');
    if (!existsSync(program)) continue;
    // Debian's one in PATH fails if only the package with its wrapper is installed.
    const version = await run(program, ['--version']).catch(() => undefined);
    const [, number] = /\(PostgreSQL\) (\d+)/.exec(version?.stdout ?? '') ?? [];
    if (number) found.push({ folder, major: Number(number) });
  }
  return found;
}

async function serverMajor(url: string): Promise<number> {
  const version = await withAdmin(
    url,
    (db) => db.value<string>`select current_setting('server_version_num')`,
  );
  return Math.floor(Number(version) / 10_000);
}

async function dumpMigrated(pgDump: string, url: string): Promise<string> {
  const name = `schema_${randomBytes(6).toString('hex')}`;
  return withAdmin(url, async (db) => {
    await db.unsafe(`create database ${name} template template0 encoding 'UTF8' locale 'C'`);
    try {
      const created = databaseNamed(url, name);
      await migrate(created);
      return await dump(pgDump, created);
    } finally {
      await db.unsafe(`drop database ${name} with (force)`);
    }
  });
}

async function withAdmin<T>(url: string, work: (db: Pool) => Promise<T>): Promise<T> {
  const db = openPool(url, { name: 'test', max: 1 });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

async function dump(pgDump: string, url: string): Promise<string> {
  const target = new URL(url);
  // In the environment, since other users of the machine see the arguments.
  const env = { ...toolEnvironment(), PGPASSWORD: decodeURIComponent(target.password) };
  target.password = '';
  const { stdout } = await run(
    pgDump,
    [
      '--schema-only',
      '--no-owner',
      '--no-privileges',
      // The job queue has migrations of its own.
      '--exclude-schema=graphile_worker',
      `--dbname=${target.href}`,
    ],
    { env, maxBuffer: 2 ** 25 },
  );
  return stdout;
}

import { randomBytes } from 'node:crypto';
import { openPool, type Pool } from '../../src/platform/db.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { settings } from './settings.ts';

export interface BenchDatabase extends AsyncDisposable {
  url: string;
  /** A pool without statement timeout, for preparing and checking. */
  db: Pool;
}

/** Creates a migrated, empty database, dropped on disposal. */
export async function createDatabase(): Promise<BenchDatabase> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await using admin = openAdmin();
  await admin.pool.unsafe(`create database ${name}`);
  const { url, db } = await openMigrated(name);
  return {
    url,
    db,
    async [Symbol.asyncDispose]() {
      await db.end();
      await using last = openAdmin();
      await last.pool.unsafe(`drop database ${name} with (force)`);
    },
  };
}

/**
 * Opens the database that was filled under this name and version, or fills it now. Drops databases of the same name with
 * another version, or that were not filled completely.
 */
export async function keptDatabase(
  kind: string,
  version: string,
  fill: (database: { url: string; db: Pool }) => Promise<void>,
): Promise<BenchDatabase> {
  const name = `${kind}_${version}`;
  await using admin = openAdmin();
  const known = await admin.pool`
    select datname, shobj_description(oid, 'pg_database') = 'filled' as filled
    from pg_database where starts_with(datname, ${`${kind}_`})`;
  const found = known.find(({ datname, filled }) => datname === name && filled);
  for (const { datname } of known) {
    if (!found || datname !== name)
      await admin.pool.unsafe(`drop database ${datname} with (force)`);
  }
  if (!found) await admin.pool.unsafe(`create database ${name}`);
  const { url, db } = await openMigrated(name);
  if (!found) {
    await fill({ url, db });
    await db.unsafe(`comment on database ${name} is 'filled'`);
  }
  return { url, db, [Symbol.asyncDispose]: () => db.end() };
}

async function openMigrated(name: string): Promise<{ url: string; db: Pool }> {
  const url = databaseNamed(name);
  await migrate(url);
  return { url, db: openPool(url, { name: 'bench', max: 4, statementTimeoutMs: 0 }) };
}

function openAdmin(): AsyncDisposable & { pool: Pool } {
  const pool = openPool(serverUrl(), { name: 'bench admin', max: 1, statementTimeoutMs: 0 });
  return { pool, [Symbol.asyncDispose]: () => pool.end() };
}

function databaseNamed(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function serverUrl(): string {
  if (!settings.databaseUrl) throw new Error('Run benchmarks with `npm run bench [name…]`.');
  return settings.databaseUrl;
}

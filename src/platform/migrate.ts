import { readdir, readFile } from 'node:fs/promises';
import { Logger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { openPool, type Pool, type Tx } from './db.ts';
import { createPgPool, Servers } from './db/client.ts';

const directory = new URL('../../migrations/', import.meta.url);
// An arbitrary number, unique among the advisory locks of this database.
const migrationLock = 7_240_113;
/** Defines, and runs, the renumbering of an event log that was restored from another server. */
const restoredLog = '0042_restored_log.sql';

/**
 * Migrates the database: the tables of the job queue, then `migrations/*.sql` in order, each once and in full. Safe
 * if several processes start together: the others wait.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const servers = new Servers(databaseUrl);
  const db = openPool(servers, { name: 'migrate', max: 1, statementTimeoutMs: 0 });
  const pgPool = createPgPool(servers, {
    applicationName: 'petitions migrate',
    settings: {},
    max: 1,
    acquireTimeoutMs: 10_000,
  });
  try {
    await applyAll(db, pgPool);
  } finally {
    await Promise.all([db.end(), pgPool.end()]);
  }
}

async function applyAll(db: Pool, pgPool: pg.Pool): Promise<void> {
  await db.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${migrationLock})`;
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
    await tx`create table if not exists migrations (
      name text primary key, applied_at timestamptz not null default now())`;
    const applied = new Set((await tx`select name from migrations`).map((row) => row.name));
    // First, since other migrations may add followers at the end of the log.
    if (applied.has(restoredLog)) await tx`select renumber_restored_log()`;
    for (const name of await migrationNames()) {
      if (!applied.has(name)) await apply(tx, name);
    }
  });
}

async function apply(tx: Tx, name: string): Promise<void> {
  await tx.unsafe(await readFile(new URL(name, directory), 'utf8'));
  await tx`insert into migrations (name) values (${name})`;
}

async function migrationNames(): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
}

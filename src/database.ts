import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError, type Config } from './config.ts';
import { isDatabaseUnavailable } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { migrate, requireMigrated } from './platform/migrate.ts';

export interface Database extends AsyncDisposable {
  url: string;
  /** Names of the migrations that were applied when it was opened. */
  migrations: string[];
}

/** How long to wait for a database that is starting, by default. */
const startTimeoutMs = 60_000;

/**
 * Opens and migrates the database of DATABASE_URL, or an embedded one under DATA_DIR. With MIGRATE=off, it must be
 * migrated.
 * @throws the last error, if the database could not be reached for this time, a minute by default
 * @throws {MigrationError} if it cannot be migrated, or lacks migrations with MIGRATE=off
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'migrate'>,
  log?: Logger,
  timeoutMs = startTimeoutMs,
): Promise<Database> {
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({
        dataDir: config.dataDir,
        log: (line) => log?.info(line),
      });
  const url = config.databaseUrl ?? embedded!.url;
  const directUrl = config.databaseDirectUrl ?? url;
  const stop = async () => embedded?.stop();
  let migrations: string[] = [];
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      try {
        if (config.migrate) migrations = await migrate(directUrl, { log });
        else await requireMigrated(directUrl);
        break;
      } catch (error) {
        if (isRefusedByPooler(error)) throw new ConfigError(poolerHelp);
        if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error;
        log?.warn({ err: error }, 'waiting for the database');
        await sleep(1000);
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, migrations, [Symbol.asyncDispose]: stop };
}

/** PgBouncer rejects settings at the start of a session. */
const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

const poolerHelp =
  'DATABASE_URL is the address of a connection pooler: set DATABASE_POOL=transaction, and DATABASE_DIRECT_URL to the address of PostgreSQL itself.';

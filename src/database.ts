import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError, type Config } from './config.ts';
import { isDatabaseUnavailable } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { migrate } from './platform/migrate.ts';

export interface Database extends AsyncDisposable {
  url: string;
}

/** How long to wait for a database that is starting. */
const startTimeoutMs = 60_000;

/**
 * Opens and migrates the database of DATABASE_URL, or an embedded one under DATA_DIR.
 * @throws the last error, if the database could not be reached for a minute
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>,
  log?: Logger,
): Promise<Database> {
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({
        dataDir: config.dataDir,
        log: (line) => log?.info(line),
      });
  const url = config.databaseUrl ?? embedded!.url;
  const stop = async () => embedded?.stop();
  const deadline = performance.now() + startTimeoutMs;
  try {
    for (;;) {
      try {
        await migrate(config.databaseDirectUrl ?? url);
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
  return { url, [Symbol.asyncDispose]: stop };
}

/** PgBouncer rejects settings at the start of a session. */
const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

const poolerHelp =
  'DATABASE_URL is the address of a connection pooler: set DATABASE_POOL=transaction, and DATABASE_DIRECT_URL to the address of PostgreSQL itself.';

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

const startTimeoutMs = 60_000;

interface OpenOptions {
  /** How long to wait for a database that is starting. */
  timeoutMs?: number | undefined;
  /** Ends the wait, and what is under way. */
  signal?: AbortSignal;
}

/** The start was given up, since the process is to end. */
export class StartAborted extends Error {
  override name = 'StartAborted';
}

/** While a database is away, the log says so once in this time. */
const logIntervalMs = 60_000;

/** Where a database is reached. */
export interface Addresses extends AsyncDisposable {
  url: string;
  /** Not through a pooler. */
  directUrl: string;
}

/** The settings that say where the database is. */
export type Location = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>;

/** Joins or starts the embedded database, unless DATABASE_URL names another. Nothing is migrated. */
export async function reachDatabase(
  { databaseUrl, databaseDirectUrl, dataDir }: Location,
  log?: Logger,
): Promise<Addresses> {
  const embedded = databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir, log: (line) => log?.info(line) });
  const url = databaseUrl ?? embedded!.url;
  const stop = async () => embedded?.stop();
  return { url, directUrl: databaseDirectUrl ?? url, [Symbol.asyncDispose]: stop };
}

/**
 * Opens and migrates the database of DATABASE_URL, or an embedded one under DATA_DIR. With MIGRATE=off, it must be
 * migrated.
 * @throws the last error, if the database could not be reached for this time, a minute by default
 * @throws {MigrationError} if it cannot be migrated, or lacks migrations with MIGRATE=off
 * @throws {StartAborted} if the signal was given
 */
export async function openDatabase(
  config: Location & Pick<Config, 'migrate'>,
  log?: Logger,
  { timeoutMs = startTimeoutMs, signal }: OpenOptions = {},
): Promise<Database> {
  const reached = await reachDatabase(config, log);
  const { url, directUrl } = reached;
  let migrations: string[] = [];
  const deadline = performance.now() + timeoutMs;
  let loggedAt = -Infinity;
  const aborted = abortOf(signal);
  const prepare = async () => {
    if (config.migrate) migrations = await migrate(directUrl, { log });
    else await requireMigrated(directUrl);
  };
  try {
    for (;;) {
      try {
        const preparing = prepare();
        // What is cut off by a stop fails later.
        preparing.catch(() => {});
        await Promise.race([preparing, aborted]);
        break;
      } catch (error) {
        if (isRefusedByPooler(error)) throw new ConfigError(poolerHelp);
        if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error;
        if (performance.now() - loggedAt >= logIntervalMs) {
          loggedAt = performance.now();
          log?.warn({ reason: (error as Error).message }, 'waiting for the database');
        }
        await Promise.race([sleep(1000), aborted]);
      }
    }
  } catch (error) {
    await reached[Symbol.asyncDispose]();
    throw error;
  }
  return { url, migrations, [Symbol.asyncDispose]: () => reached[Symbol.asyncDispose]() };
}

/** Fails once the signal is given. */
function abortOf(signal: AbortSignal | undefined): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(new StartAborted());
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
  // Nobody may be waiting for it.
  aborted.catch(() => {});
  return aborted;
}

/** PgBouncer rejects settings at the start of a session. */
const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

const poolerHelp =
  'DATABASE_URL is the address of a connection pooler: set DATABASE_POOL=transaction, and DATABASE_DIRECT_URL to the address of PostgreSQL itself.';

import { Redis } from 'ioredis';
import { join } from 'node:path';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Config } from './config.ts';
import { EventNotifier } from './platform/event-notifier.ts';
import type { Blobs } from './platform/blobs.ts';
import { FileBlobs } from './platform/blobs/files.ts';
import { S3Blobs } from './platform/blobs/s3.ts';
import { createCache } from './platform/cache.ts';
import type { Context } from './platform/context.ts';
import { openPools } from './platform/db/pools.ts';
import type { Keys } from './platform/keys.ts';
import { Limits } from './platform/limits.ts';
import { createMailer } from './platform/mail.ts';
import { createMailKey } from './platform/mail-keys.ts';
import { observedMailer } from './platform/mail-outcomes.ts';
import { mailboxHash, suppressingMailer } from './platform/mail-suppressions.ts';
import { OutageLog } from './platform/outage-log.ts';
import { HttpClient } from './platform/safe-fetch.ts';
import { openKeys } from './platform/sealed-keys.ts';
import { SearchEngines } from './platform/search-engines.ts';
import { SharedNetworks } from './platform/shared-networks.ts';
import { SiteSettings } from './platform/site/site-settings.ts';
import { createFileTexter } from './platform/sms.ts';

/** How long reads are cached; writes of other processes become visible after it. */
const cacheMs = 1000;
const estimatesMs = 60_000;
/** How much longer while the database is unavailable. */
const staleMs = 30_000;

/** The context of one service. Disposing of it closes what it opened. */
export interface OwnedContext extends Context, AsyncDisposable {}

/**
 * Builds the context of all slices. `databaseUrl` is the address of a migrated database. It is not connected to before
 * its first use if the keys are given.
 * @throws {SecretError} if SECRET is not the one of this database
 */
export async function createContext(
  config: Config,
  databaseUrl: string,
  parts: Partial<Pick<Context, 'log' | 'now' | 'httpClient' | 'keys' | 'searchEngines'>> = {},
): Promise<OwnedContext> {
  const log = parts.log ?? createLogger(config);
  const now = parts.now ?? (() => new Date());
  const directUrl = config.databaseDirectUrl ?? databaseUrl;
  const database = openPools(
    {
      url: databaseUrl,
      replicaUrl: config.databaseReplicaUrl,
      isPooled: config.databasePool === 'transaction',
    },
    log,
  );
  const { main } = database.pools;
  const keys =
    parts.keys ??
    (await openKeys(main, config.secret).catch(async (error: unknown) => {
      await database.close();
      throw error;
    }));
  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : undefined;
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const eventNotifier = new EventNotifier(directUrl, main, log);
  const blobs = createBlobs(config, keys, now);
  const keyOf = (to: string) => createMailKey(keys, mailboxHash(keys, to), now());
  const site = new SiteSettings({ db: main, config, log });
  const sender = createMailer({ ...config.mail, keyOf, site: () => site.current }, config.dataDir);
  const mailer = observedMailer(sender, { log, metrics });
  const mail = suppressingMailer(mailer, { db: database.pools.main, keys });
  const searchEngines = parts.searchEngines ?? new SearchEngines();
  const httpClient = parts.httpClient ?? new HttpClient({ publicOnly: config.production });
  return {
    config,
    db: main,
    pools: database.pools,
    databaseHealth: database.health,
    eventNotifier,
    keys,
    cache: createCache({ ttlMs: cacheMs, staleMs }),
    estimates: createCache({ ttlMs: estimatesMs, staleMs }),
    afterCommit: (work) => work(),
    limits: new Limits({ enabled: config.rateLimits, redis, log, now }),
    site,
    sharedNetworks: new SharedNetworks({ db: main, log }),
    searchEngines,
    log,
    metrics,
    mail,
    httpClient,
    blobs,
    sms: createFileTexter(config.dataDir),
    now,
    async [Symbol.asyncDispose]() {
      mail.close();
      searchEngines.close();
      await httpClient.close();
      redis?.disconnect();
      await eventNotifier.close();
      await blobs.close();
      await database.close();
    },
  };
}

/** Opens the store of uploads. */
export function createBlobs(
  { s3, dataDir, baseUrl }: Pick<Config, 's3' | 'dataDir' | 'baseUrl'>,
  keys: Keys,
  now: () => Date,
): Blobs {
  if (s3) return new S3Blobs(s3);
  return new FileBlobs({ directory: join(dataDir, 'media'), baseUrl, keys, now });
}

/** Creates a logger of JSON lines, on standard output by default. Callers must log no addresses, tokens or bodies. */
export const createLogger = (
  config: Pick<Config, 'logLevel' | 'role'>,
  output?: DestinationStream,
): Logger => {
  const outages = new OutageLog();
  const options: LoggerOptions = {
    hooks: {
      logMethod(args, write) {
        outages.logMethod(this, args, write);
      },
    },
    level: config.logLevel,
    base: { role: config.role },
    serializers: { err: describeError },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  return output ? pino(options, output) : pino(options);
};

/** The loggable fields of an error. Leaves out PostgreSQL's `detail`, which holds rows and values. */
function describeError(error: Error & { code?: string; constraint?: string }): object {
  const { name, message, stack, code, constraint, cause } = error;
  return {
    name,
    message,
    stack,
    code,
    constraint,
    ...(cause instanceof Error && { cause: cause.message }),
  };
}

/** Connects to Redis. Commands fail fast: limits let requests through while Redis is unavailable. */
function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 2000,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2000),
  });
  let isAway = false;
  redis.on('error', (error) => {
    if (!isAway) log.warn({ err: error }, 'Redis is unavailable');
    isAway = true;
  });
  redis.on('ready', () => (isAway = false));
  return redis;
}

import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { ConfigError, readConfig, requireDataDir, type Config } from './config.ts';
import { createContext, createLogger } from './context.ts';
import { openDatabase, StartAborted, type Database } from './database.ts';
import { DatabaseUnavailable, isDatabaseUnavailable } from './platform/db.ts';
import { startMetricsServer } from './platform/http/metrics-server.ts';
import { noteAddress } from './platform/instance.ts';
import type { JobWorker } from './platform/jobs.ts';
import { MigrationError } from './platform/migrate.ts';
import { SecretError } from './platform/sealed-keys.ts';
import { settingAdvice } from './platform/setting-advice.ts';
import { version } from './platform/version.ts';

/** Work still in progress this long after the signal is cut off; the process ends within 10 seconds. */
const graceMs = 9000;
const stopDatabaseMs = 700;

/** SIGHUP comes from a terminal that was closed. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type Signal = (typeof stopSignals)[number];

async function main(config: Config): Promise<void> {
  const stopSignal = stopRequested();
  const log = createLogger(config);
  surviveLostConnections(log);
  // Stops in reverse order, also if the start fails half-way.
  await using stack = new AsyncDisposableStack();
  let database: Database | undefined;
  // Also while the start waits for a database.
  void stopSignal.then(() => setTimeout(() => void cutOff(database, log), graceMs).unref());
  for (const { text } of settingAdvice(config)) log.warn(text);
  if (needsDataDir(config)) requireDataDir(config.dataDir);
  const starting = new AbortController();
  void stopSignal.then(() => starting.abort());
  database = stack.use(await openDatabase(config, log, { signal: starting.signal }));
  const ctx = stack.use(await createContext(config, database.url, { log }));
  const app = createApp(ctx);
  stack.defer(() => app.stop());
  await app.start();
  if (config.role !== 'worker') await noteAddress(ctx.db, config.baseUrl);
  let server: FastifyInstance | undefined;
  let worker: JobWorker | undefined;
  let signal: Signal | undefined;
  stack.defer(async () => {
    await Promise.allSettled([stopServer(server, signal), worker?.stop()]);
  });
  if (config.port !== undefined) {
    server = await app.buildServer();
    await server.listen({ port: config.port, host: config.host ?? 'localhost' });
  }
  const metrics = await startMetricsServer(ctx);
  if (metrics) stack.use(metrics);
  if (config.role !== 'web') worker = await app.startWorker(database.url);
  const setupLink = config.role === 'worker' ? undefined : await app.offerSetup();
  // The README promises this line; the log itself is JSON.
  process.stdout.write(
    config.role === 'worker'
      ? `Ready: this worker takes jobs (version ${version})\n`
      : `Ready at ${config.baseUrl} (version ${version}, on ${listened(server)})\n`,
  );
  if (setupLink) process.stdout.write(`Set this site up within a day: ${setupLink}\n`);
  signal = await stopSignal;
}

/** The addresses that a server listens on. */
const listened = (server: FastifyInstance | undefined): string =>
  (server?.addresses() ?? [])
    .map((one) => (typeof one === 'string' ? one : addressText(one)))
    .join(' and ');

const addressText = ({ address, port }: AddressInfo): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** Whether anything is stored in DATA_DIR. */
const needsDataDir = ({ databaseUrl, s3, mail }: Config): boolean =>
  !databaseUrl || !s3 || !mail.smtp;

/**
 * Keeps the process alive if a library does not handle the loss of its database connection. All other unhandled errors
 * end the process.
 */
function surviveLostConnections(log: Logger): void {
  process.on('unhandledRejection', (error) => {
    if (!isDatabaseUnavailable(error)) throw error;
    log.error({ err: error }, 'unhandled loss of a database connection');
  });
}

/** Stops the embedded database, which would outlive the process, and ends the process. */
async function cutOff(database: Database | undefined, log: Logger): Promise<void> {
  log.error('work under way did not end in time and was cut off');
  const stopped = Promise.resolve(database?.[Symbol.asyncDispose]()).catch(() => {});
  await Promise.race([stopped, sleep(stopDatabaseMs)]);
  process.exit(0);
}

/** Drains after SIGTERM, for load balancers. The others come from a terminal and need no draining. */
async function stopServer(server: FastifyInstance | undefined, signal?: Signal): Promise<void> {
  if (signal === 'SIGTERM') await server?.drain();
  await server?.close();
}

/**
 * Resolves with the first signal that asks the process to stop. Ignores later ones: `npm start` forwards signals
 * that its process group receives as well.
 */
function stopRequested(): Promise<Signal> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.on(signal, () => resolve(signal));
  });
}

function explain(error: unknown): string {
  const { code, syscall, message, stack } = error as NodeJS.ErrnoException;
  const isPlain = [ConfigError, MigrationError, SecretError].some((type) => error instanceof type);
  if (isPlain) return message;
  if (error instanceof DatabaseUnavailable) {
    return `The database of DATABASE_URL cannot be reached: ${message} (${code}).`;
  }
  if (code === 'EADDRINUSE') return `PORT is in use by another process: ${message}.`;
  if (code === 'EACCES' && syscall === 'listen') {
    return `PORT: this user may not listen there (${message}). Take one above 1023, behind a proxy.`;
  }
  if (['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'].includes(code ?? '')) {
    return `HOST is no address of this machine, or DATABASE_URL names none: ${message}.`;
  }
  return stack ?? message;
}

try {
  if (process.argv.includes('--version')) process.stdout.write(`${version}\n`);
  else await main(readConfig(process.env));
} catch (error) {
  // Told to stop before it was ready.
  if (error instanceof StartAborted) process.exit(0);
  process.stderr.write(`The service does not start. ${explain(error)}\n`);
  process.exit(1);
}

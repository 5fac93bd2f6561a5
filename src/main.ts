import type { FastifyInstance } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createContext, createLogger } from './context.ts';
import { openDatabase, type Database } from './database.ts';
import { DatabaseUnavailable, isDatabaseUnavailable } from './platform/db.ts';
import { startMetricsServer } from './platform/http/metrics-server.ts';
import type { JobWorker } from './platform/jobs.ts';
import { MigrationError } from './platform/migrate.ts';
import { SecretError } from './platform/sealed-keys.ts';

/** Work still in progress this long after the signal is cut off; the process ends within 10 seconds. */
const graceMs = 9000;
const stopDatabaseMs = 700;

type Signal = 'SIGTERM' | 'SIGINT';

async function main(config: Config): Promise<void> {
  const stopSignal = stopRequested();
  const log = createLogger(config);
  surviveLostConnections(log);
  // Stops in reverse order, also if the start fails half-way.
  await using stack = new AsyncDisposableStack();
  let database: Database | undefined;
  // Also while the start waits for a database.
  void stopSignal.then(() => setTimeout(() => void cutOff(database, log), graceMs).unref());
  database = stack.use(await openDatabase(config, log));
  const ctx = stack.use(await createContext(config, database.url, { log }));
  const app = createApp(ctx);
  stack.defer(() => app.stop());
  await app.start();
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
  // The README promises this line; the log itself is JSON.
  process.stdout.write(
    config.role === 'worker' ? 'Ready: this worker takes jobs\n' : `Ready at ${config.baseUrl}\n`,
  );
  signal = await stopSignal;
}

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

/** Drains after SIGTERM, for load balancers. SIGINT comes from a terminal and needs no draining. */
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
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  });
}

function explain(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  const isPlain = [ConfigError, MigrationError, SecretError].some((type) => error instanceof type);
  if (isPlain) return message;
  if (error instanceof DatabaseUnavailable) {
    return `The database of DATABASE_URL cannot be reached: ${message} (${code}).`;
  }
  if (code === 'EADDRINUSE') return `PORT is in use by another process: ${message}.`;
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') {
    return `HOST is no address of this machine, or DATABASE_URL names none: ${message}.`;
  }
  return stack ?? message;
}

try {
  await main(readConfig(process.env));
} catch (error) {
  process.stderr.write(`The service does not start. ${explain(error)}\n`);
  process.exit(1);
}

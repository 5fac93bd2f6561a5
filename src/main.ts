import type { FastifyInstance } from 'fastify';
import { createApp } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createContext } from './context.ts';
import { openDatabase } from './database.ts';
import type { JobWorker } from './platform/jobs.ts';

/** Longest time that requests and jobs under way are given when the service stops. */
const graceMilliseconds = 10_000;

async function main(config: Config): Promise<void> {
  const stop = stopRequested();
  // What is started is stopped in the opposite order, also where the start fails half-way.
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(config));
  const ctx = stack.use(createContext(config, database.url));
  const app = createApp(ctx);
  stack.defer(() => app.stop());
  await app.start();
  let server: FastifyInstance | undefined;
  let worker: JobWorker | undefined;
  stack.defer(async () => {
    await Promise.allSettled([server?.close(), worker?.stop()]);
  });
  if (config.port !== undefined) {
    server = await app.buildServer();
    await server.listen({ port: config.port, host: config.host ?? 'localhost' });
  }
  if (config.role !== 'web') worker = await app.startWorker(database.url);
  // The one line that the README promises; logs beside it are structured.
  process.stdout.write(
    config.role === 'worker' ? 'Ready: this worker takes jobs\n' : `Ready at ${config.baseUrl}\n`,
  );
  await stop;
  setTimeout(() => {
    ctx.log.error('work under way did not end in time and was cut off');
    process.exit(0);
  }, graceMilliseconds).unref();
}

function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

function explain(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (error instanceof ConfigError) return message;
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

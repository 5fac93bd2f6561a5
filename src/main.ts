import { createApp } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createContext } from './context.ts';
import { openDatabase } from './database.ts';

/** Longest time that requests and jobs under way are given when the service stops. */
const graceMilliseconds = 10_000;

async function main(config: Config): Promise<void> {
  await using database = await openDatabase(config);
  await using ctx = createContext(config, database.url);
  const app = createApp(ctx);
  await app.start();
  const server = config.role === 'worker' ? undefined : await app.buildServer();
  const worker = config.role === 'web' ? undefined : await app.startWorker(database.url);
  if (server) await server.listen({ port: config.port, host: config.host ?? 'localhost' });
  // The one line that the README promises; logs beside it are structured.
  process.stdout.write(server ? `Ready at ${config.baseUrl}\n` : 'Ready: this worker takes jobs\n');

  await stopRequested();
  const force = setTimeout(() => {
    ctx.log.error('work under way did not end in time');
    process.exit(1);
  }, graceMilliseconds);
  force.unref();
  await Promise.all([server?.close(), worker?.stop()]);
  await app.stop();
}

function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

try {
  await main(readConfig(process.env));
} catch (error) {
  process.stderr.write(
    error instanceof ConfigError
      ? `The service does not start. ${error.message}\n`
      : `The service does not start: ${(error as Error).stack}\n`,
  );
  process.exitCode = 1;
}
